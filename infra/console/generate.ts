import { bringUpToDate } from "../platform/generated-folder.ts";
import { openApiOf } from "./openapi.ts";
import { ROUTES } from "./routes/table.ts";

const GENERATED = new URL("generated/", import.meta.url);

/** Brings openapi.json up to date: all routes, whatever data a server has. As `generateCrds`. */
export async function generateOpenApi(options: { readonly check: boolean }): Promise<readonly string[]> {
  const files = new Map([["openapi.json", `${JSON.stringify(openApiOf(ROUTES), undefined, 2)}\n`]]);
  const differing = await bringUpToDate(GENERATED, files, options);
  return differing.map((name) => `infra/console/generated/${name}`);
}

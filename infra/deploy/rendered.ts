import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openApiOf } from "../console/openapi.ts";
import { ROUTES } from "../console/routes/table.ts";
import { writeYaml } from "../platform/yaml/write-yaml.ts";
import { apiReference } from "./api-reference.ts";
import { yamlOf } from "./components.ts";
import { lambdaAccess } from "./lambda/access.ts";
import { template } from "./lambda/template.ts";
import { manifestFiles } from "./manifests/files.ts";
import { alertGroups } from "./observation/alerts.ts";
import { dashboard } from "./observation/dashboard.ts";

/**
 * Returns path → content of everything that follows from declarations and is not kept in git: manifests for kubectl, the
 * template for AWS, what Prometheus and Grafana read, the API of the console, and the reference of our kinds. The same on every machine.
 */
export async function renderedFiles(): Promise<ReadonlyMap<string, string>> {
  const manifests = [...(await manifestFiles())].map(
    ([path, content]) => [`kustomize/${path}`, content] as const,
  );
  return new Map([
    ...manifests,
    ["aws/template.yaml", writeYaml(await template())],
    ["aws/rights.yaml", yamlOf(await lambdaAccess())],
    ["observation/rules.yaml", writeYaml(alertGroups())],
    ["observation/capstan.json", jsonOf(dashboard())],
    ["api/reference.markdown", apiReference()],
    ["console/openapi.json", jsonOf(openApiOf(ROUTES))],
  ]);
}

/** Writes these files into a folder, in place of what it holds. */
export async function renderInto(folder: string): Promise<void> {
  const files = await renderedFiles();
  await rm(folder, { recursive: true, force: true });
  await writeFiles(folder, files);
}

/** Writes content by path into a folder; other files in it stay. */
export async function writeFiles(
  folder: string,
  files: Iterable<readonly [string, string | Uint8Array]>,
): Promise<void> {
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

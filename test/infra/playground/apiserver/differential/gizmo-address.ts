import * as fc from "fast-check";
import type { JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, rarely } from "./choice.ts";
import { GIZMOS_PATH, OLD_GIZMOS_PATH } from "./gizmos.ts";

export const name = pick("a", "a", "b");
export const manager = pick("fn-a", "fn-b", "human");

export const gizmo = (
  of: string,
  spec: JsonObject | undefined,
  metadata: JsonObject = {},
  version = "v1",
) => ({
  apiVersion: `test.capstan.dev/${version}`,
  kind: "Gizmo",
  metadata: { name: of, ...metadata },
  ...(spec === undefined ? {} : { spec }),
});

const query = fc.record({
  fieldManager: manager,
  dryRun: rarely("All"),
  fieldValidation: rarely("Ignore", "Warn", "Strict"),
});
export const collection = fc.oneof(
  { weight: 5, arbitrary: fc.constant(GIZMOS_PATH) },
  { weight: 1, arbitrary: fc.constant(OLD_GIZMOS_PATH) },
);
export const versionOf = (path: string) => (path === OLD_GIZMOS_PATH ? "v1beta1" : "v1");

/** A collection, an object in it and what a write says beside its body. */
export const place = fc.record({ path: collection, of: name, query });

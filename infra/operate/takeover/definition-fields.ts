import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { toCrd } from "../../platform/crds/crd.ts";

/**
 * Returns the fields that Capstan's functions may write and a CRD of the server does not know: the server would drop
 * them. Paths as in `status.conditions`; of a missing field not those below it.
 */
export function missingFields(kind: Kind, crd: KubeObject): readonly string[] {
  const ours = schemaOf(toCrd(kind), kind.version);
  return fieldsMissing(ours, schemaOf(crd, kind.version), "");
}

export function schemaOf(crd: KubeObject | undefined, wanted: string): unknown {
  const versions = valueAt(crd, "spec.versions");
  const version: unknown = (Array.isArray(versions) ? versions : []).find(
    (each: unknown) => valueAt(each, "name") === wanted,
  );
  return valueAt(version, "schema.openAPIV3Schema");
}

function fieldsMissing(ours: unknown, theirs: unknown, path: string): readonly string[] {
  const items = valueAt(ours, "items");
  if (items !== undefined) return fieldsMissing(items, valueAt(theirs, "items"), path);
  return Object.entries(valueAt(ours, "properties") ?? {}).flatMap(([name, schema]) => {
    const below = path === "" ? name : `${path}.${name}`;
    const known: unknown = Object.entries(valueAt(theirs, "properties") ?? {}).find(
      ([each]) => each === name,
    )?.[1];
    return known === undefined ? [below] : fieldsMissing(schema, known, below);
  });
}

import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { toStructural } from "../../../shared/api/structural.ts";

/**
 * Returns the fields of a kind of ours that a CRD of the server does not know: the server would drop them, or refuse an
 * apply. Paths as in `status.conditions`; of a missing field not those below it. Empty for a kind without a schema.
 */
export function missingFields({ schema, crd: ours, version }: Kind, crd: KubeObject): readonly string[] {
  if (schema === undefined) return [];
  return fieldsMissing(toStructural(schema(), ours?.requiresMetadata), schemaOf(crd, version), "");
}

/** Returns the schema of a version of a CRD; undefined where there is none. */
export function schemaOf(crd: KubeObject | undefined, wanted: string): unknown {
  const versions = valueAt(crd, "spec.versions");
  const version: unknown = (Array.isArray(versions) ? versions : []).find(
    (each: unknown) => valueAt(each, "name") === wanted,
  );
  return valueAt(version, "schema.openAPIV3Schema");
}

function fieldsMissing(ours: unknown, theirs: unknown, path: string): readonly string[] {
  if (valueAt(theirs, "x-kubernetes-preserve-unknown-fields") === true) return [];
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

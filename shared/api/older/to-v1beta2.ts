import { groupOf, type KubeObject, titleOf } from "../kinds.ts";
import { convertObject, noLookup, olderVersion } from "./convert.ts";
import { type Fields, isFields } from "./fields.ts";
import type { FieldRows, Row } from "./rows.ts";

/** Older versions that have the same fields as v1beta1, or fewer. */
const OLDEST: readonly string[] = ["v1alpha3", "v1alpha4"].map(
  (version) => `cluster.x-k8s.io/${version}/MachineHealthCheck`,
);

/** An object of an older version, as v1beta2 has it. */
interface Converted {
  readonly object: KubeObject;
  /** One text for each field of the spec that has another name there. */
  readonly renamed: readonly string[];
}

/**
 * Converts an object of an older version to v1beta2, of the kinds that are served; returns every other object as it is.
 * Throws Error with the object, the field and the next step when a field of the spec has no counterpart.
 */
export function toV1beta2(object: KubeObject): Converted {
  const { apiVersion, kind, metadata } = object;
  const group = groupOf(apiVersion);
  const isOldest = OLDEST.includes(`${apiVersion}/${kind}`);
  const readAs = isOldest ? `${group}/v1beta1` : apiVersion;
  const version = olderVersion(group, kind, readAs.slice(group.length + 1));
  if (version === undefined) return { object, renamed: [] };
  const { namespace = "default" } = metadata;
  const named = `${titleOf(kind, { ...metadata, namespace })} of ${apiVersion}`;
  const source = { ...object, metadata: { ...metadata, namespace } } as unknown as Fields;
  const renamed = new Map<string, string>();
  const lost = (version.rules.lost?.[""] ?? []).map(({ old }) => old);
  const problem = firstProblem(version.fields, source, { namespace, lost, renamed, at: "", from: "" });
  if (problem !== undefined) throw new Error(`${named}: ${problem}`);
  const converted = convertObject({ ...object, apiVersion: readAs }, `${group}/v1beta2`, noLookup);
  const { status: _, ...manifest } = converted as KubeObject & { readonly status?: unknown };
  return {
    // A manifest has no status unless it is a backup: the counters that a conversion always writes are not its own.
    object: "status" in object ? converted : manifest,
    renamed: [...renamed].map(([from, at]) => `${named}: ${from} becomes ${at}, its name in v1beta2`),
  };
}

interface Walk {
  readonly namespace: string;
  /** Paths of fields that v1beta2 lost, and that nothing has read for long. */
  readonly lost: readonly string[];
  /** Older path → path in v1beta2, of the fields of the spec that the object has. */
  readonly renamed: Map<string, string>;
  /** Paths of the elements of a list that are walked: in v1beta2, and in the older version. */
  readonly at: string;
  readonly from: string;
}

/** Returns what v1beta2 cannot say of an object or an element of a list; `undefined`: nothing. */
function firstProblem({ rows }: FieldRows, source: Fields, walk: Walk): string | undefined {
  const known = new Map<string, Row | undefined>();
  for (const row of rows) {
    const { old = [], shape } = row;
    for (const depth of old.keys()) known.set(old.slice(0, depth).join("."), undefined);
    if (shape.is !== "object") known.set(old.join("."), row);
  }
  return problemBelow(source, "", known, walk);
}

function problemBelow(
  given: Fields,
  above: string,
  known: ReadonlyMap<string, Row | undefined>,
  walk: Walk,
): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    const path = `${above}${name}`;
    if ((walk.from === "" && !path.startsWith("spec")) || walk.lost.includes(path)) continue;
    const problem = known.has(path)
      ? problemAt(path, value, known, walk)
      : `${walk.from}${path}: has no counterpart in v1beta2; leave it out`;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemAt(
  path: string,
  value: unknown,
  known: ReadonlyMap<string, Row | undefined>,
  walk: Walk,
): string | undefined {
  const row = known.get(path);
  if (row !== undefined) return problemOf(row, value, walk);
  return isFields(value) ? problemBelow(value, `${path}.`, known, walk) : undefined;
}

function problemOf({ at, old = [], shape }: Row, value: unknown, walk: Walk): string | undefined {
  const [from, to] = [`${walk.from}${old.join(".")}`, `${walk.at}${at.join(".")}`];
  if (at.join(".") !== old.join("."))
    walk.renamed.set(from.replaceAll(/\[\d+\]/g, "[]"), to.replaceAll(/\[\d+\]/g, "[]"));
  const elsewhere = shape.is === "form" && isFields(value) ? (value["namespace"] ?? "") : "";
  if (elsewhere !== "" && elsewhere !== walk.namespace) {
    return `${from}.namespace: "${elsewhere}" is not the object's own (${walk.namespace}); v1beta2 has no references into other namespaces`;
  }
  if (shape.is !== "list" || !Array.isArray(value)) return undefined;
  for (const [index, element] of value.entries()) {
    const inside = { ...walk, lost: ["definitionFrom"], at: `${to}[${index}].`, from: `${from}[${index}].` };
    const problem = isFields(element) ? firstProblem(shape.fields(), element, inside) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

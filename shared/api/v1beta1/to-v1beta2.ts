import { CLUSTER_GROUP, groupOf, type KubeObject } from "../kinds.ts";
import { kindOf } from "../registry.ts";
import { CONVERSIONS } from "./conversions.ts";
import { dropEmpty, dropFields, moveFields, renamedFields } from "./moved-fields.ts";

/**
 * Annotation in which Cluster API keeps the v1beta2 fields of an object of v1beta1; invalid once the object
 * was edited.
 */
const CONVERSION_DATA = `${CLUSTER_GROUP}/conversion-data`;

/** An object of an older version, as v1beta2 has it. */
interface Converted {
  readonly object: KubeObject;
  /** One text for each field of the spec that has another name there. */
  readonly renamed: readonly string[];
}

/**
 * Converts an object of the core of an older version of Cluster API's to v1beta2, of the kinds in `CONVERSIONS`; returns
 * every other object as it is.
 * Throws Error with the object, the field and the next step when a value or a field has no counterpart.
 */
export function toV1beta2(object: KubeObject): Converted {
  const conversion = CONVERSIONS.get(object.kind);
  const group = groupOf(object.apiVersion);
  const versions = ["v1beta1", ...(conversion?.olderVersions ?? [])].map((version) => `${group}/${version}`);
  const isKnown = conversion !== undefined && kindOf(group, object.kind) !== undefined;
  if (!isKnown || !versions.includes(object.apiVersion)) return { object, renamed: [] };
  const { namespace = "default", name } = object.metadata;
  const named = `${object.kind} ${namespace}/${name} of ${object.apiVersion}`;
  try {
    const known = dropFields(object, conversion.dropped ?? []);
    const moved = dropEmpty(moveFields(known, conversion.moved, namespace), conversion.empty);
    const converted = { ...withoutConversionData(moved), apiVersion: `${group}/v1beta2` };
    refuseUnknown(converted);
    const renamed = renamedFields(object, conversion.moved)
      .filter(({ from }) => from.startsWith("spec."))
      .map(({ from, to }) => `${named}: ${from} is applied as ${to}, its name in v1beta2`);
    return { object: converted, renamed };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`${named}: ${error.message}`, { cause: error });
  }
}

/** The API server would drop such a field of the spec without a word. Other faults it reports by itself. */
function refuseUnknown(object: KubeObject): void {
  const checked = kindOf(groupOf(object.apiVersion), object.kind)?.schema?.().safeParse(object);
  const unknown =
    checked?.success === true
      ? unknownField(Reflect.get(object, "spec"), Reflect.get(checked.data, "spec"), "spec")
      : undefined;
  if (unknown !== undefined) {
    throw new Error(`${unknown}: has no counterpart in v1beta2; leave it out`);
  }
}

/** Returns the path of the first member of `given` that `kept` lacks; `undefined`: it has all of them. */
function unknownField(given: unknown, kept: unknown, path: string): string | undefined {
  if (typeof given !== "object" || given === null || typeof kept !== "object" || kept === null)
    return undefined;
  for (const [member, value] of Object.entries(given)) {
    const here = Array.isArray(given) ? `${path}[${member}]` : `${path}.${member}`;
    if (!Object.hasOwn(kept, member)) return here;
    const below = unknownField(value, Reflect.get(kept, member), here);
    if (below !== undefined) return below;
  }
  return undefined;
}

function withoutConversionData(object: KubeObject): KubeObject {
  const { [CONVERSION_DATA]: data, ...annotations } = object.metadata.annotations ?? {};
  return data === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}

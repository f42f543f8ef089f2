import { CLUSTER_NAME_LABEL } from "../indexes.ts";
import { CLUSTER_GROUP, groupOf, type KubeObject, titleOf } from "../kinds.ts";
import { kindOf } from "../registry.ts";
import { toStructural } from "../structural.ts";
import { convertFields, keptOf } from "./convert-fields.ts";
import { type Fields, isFields } from "./fields.ts";
import type { VersionLookup } from "./forms.ts";
import { type FieldRows, rowsOf } from "./rows.ts";
import type { OlderVersion } from "./rule.ts";
import { OLDER } from "./table.ts";

/** The version that is stored, in which every conversion begins or ends. */
const PRESENT = "v1beta2";
/** Annotation in which an older version keeps what only v1beta2 can say. */
const KEPT = `${CLUSTER_GROUP}/conversion-data`;
/** Annotation that remembers that a label was added on the way to v1alpha1. */
const LABEL_WAS_SET = "conversion.cluster.x-k8s.io/cluster-name-label-set";

interface Version {
  readonly rules: OlderVersion;
  readonly fields: FieldRows;
}
const versions = new Map<string, Version>();

/** Returns the rows of an older version, made at its first use; `undefined`: it is not served. */
export function olderVersion(group: string, kind: string, version: string): Version | undefined {
  const name = `${group}/${kind}/${version}`;
  const made = versions.get(name);
  if (made !== undefined) return made;
  const rules = OLDER.get(`${group}/${kind}`)?.[version];
  const schema = kindOf(group, kind)?.schema;
  if (rules === undefined || schema === undefined) return undefined;
  const fresh = { rules, fields: rowsOf(toStructural(schema()), rules) };
  versions.set(name, fresh);
  return fresh;
}

/**
 * Converts an object of a kind of Cluster API between the versions that are served. Fields that both have stay, unknown ones
 * are dropped. Throws Error with the object, the field and the problem.
 * Differs: the annotation holds only what is read of it, where upstream writes the whole object, so that answers stay
 * small; upstream reads it as well.
 */
export function convertObject(object: KubeObject, apiVersion: string, versionOf: VersionLookup): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const group = groupOf(object.apiVersion);
  try {
    if (groupOf(apiVersion) !== group) throw new Error(`${apiVersion} is of another group`);
    const from = object.apiVersion.slice(group.length + 1);
    const to = apiVersion.slice(group.length + 1);
    const present = from === PRESENT ? object : toPresent(object, served(group, object.kind, from));
    if (to === PRESENT) return present;
    return toOlder(present, apiVersion, served(group, object.kind, to), versionOf);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`${titleOf(object.kind, object.metadata)} of ${object.apiVersion}: ${error.message}`, {
      cause: error,
    });
  }
}

function served(group: string, kind: string, version: string): Version {
  const found = olderVersion(group, kind, version);
  if (found === undefined) throw new Error(`kind ${kind} has no version ${version} here`);
  return found;
}

function toPresent(object: KubeObject, { rules, fields }: Version): KubeObject {
  const { [KEPT]: text, ...annotations } = object.metadata.annotations ?? {};
  const kept = rules.isAnnotated && text !== undefined ? keptIn(text) : undefined;
  const conversion = {
    to: "up",
    namespace: object.metadata.namespace,
    versionOf: noLookup,
    kept,
    depth: 0,
  } as const;
  const converted = convertFields(fields, object as unknown as Fields, conversion);
  const metadata =
    rules.isAnnotated && text !== undefined ? withMaps(object.metadata, { annotations }) : object.metadata;
  const present = {
    apiVersion: `${groupOf(object.apiVersion)}/${PRESENT}`,
    kind: object.kind,
    metadata,
    ...converted,
  };
  return rules.hasClusterLabel ? withoutLabel(present) : present;
}

/** The lookup of conversions to v1beta2, whose references have no version. */
export function noLookup(): never {
  throw new Error("bug: v1beta2 has no versions of references");
}

function keptIn(text: string): Fields {
  try {
    const kept: unknown = JSON.parse(text);
    if (isFields(kept)) return kept;
  } catch {
    // Said below.
  }
  throw new Error(`metadata.annotations[${KEPT}]: is not a JSON object; remove the annotation`);
}

function toOlder(
  object: KubeObject,
  apiVersion: string,
  { rules, fields }: Version,
  versionOf: VersionLookup,
): KubeObject {
  const source = object as unknown as Fields;
  const { namespace, annotations } = object.metadata;
  const converted = convertFields(fields, source, {
    to: "down",
    namespace,
    versionOf,
    kept: undefined,
    depth: 0,
  });
  const kept = rules.isAnnotated ? keptOf(fields, source) : undefined;
  const hasWhole = fields.rows.some(({ restored }) => restored === "whole");
  const metadata =
    kept === undefined && !(rules.isAnnotated && hasWhole)
      ? object.metadata
      : withMaps(object.metadata, {
          annotations: {
            ...annotations,
            [KEPT]: JSON.stringify({ kind: object.kind, apiVersion: object.apiVersion, ...kept }),
          },
        });
  const older = { apiVersion, kind: object.kind, metadata, ...converted };
  return rules.hasClusterLabel ? withLabel(older, source) : older;
}

/** Returns metadata with other labels or annotations; empty ones go. */
function withMaps(
  metadata: KubeObject["metadata"],
  maps: Pick<KubeObject["metadata"], "labels" | "annotations">,
): KubeObject["metadata"] {
  const changed = { ...metadata, ...maps };
  for (const name of ["labels", "annotations"] as const) {
    if (changed[name] !== undefined && Object.keys(changed[name]).length === 0) delete changed[name];
  }
  return changed;
}

/** The name of the Cluster of a claim is a label in v1alpha1. */
function withLabel(object: KubeObject, { spec }: Fields): KubeObject {
  const name = isFields(spec) ? spec["clusterName"] : undefined;
  if (typeof name !== "string" || name === "") return object;
  const { labels, annotations } = object.metadata;
  const remembered = labels?.[CLUSTER_NAME_LABEL] === undefined ? { [LABEL_WAS_SET]: "false" } : {};
  const maps = {
    labels: { ...labels, [CLUSTER_NAME_LABEL]: name },
    annotations: { ...annotations, ...remembered },
  };
  return { ...object, metadata: withMaps(object.metadata, maps) };
}

function withoutLabel(object: KubeObject): KubeObject {
  const { labels, annotations } = object.metadata;
  if (labels === undefined) return object;
  const { [CLUSTER_NAME_LABEL]: clusterName, ...otherLabels } = labels;
  const { [LABEL_WAS_SET]: wasSet, ...others } = annotations ?? {};
  const maps = { labels: wasSet === "false" ? otherLabels : labels, annotations: others };
  const spec = { ...Reflect.get(object, "spec"), ...(clusterName ? { clusterName } : {}) };
  return {
    ...object,
    metadata: withMaps(object.metadata, maps),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

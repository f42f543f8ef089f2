import { LAST_APPLIED } from "../../../../shared/redaction/last-applied.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { type KubeObject, objectAt, omit, withMetadata } from "../objects/kube-object.ts";

/** kubectl's own manager name; others may keep the annotation as they like. */
const KUBECTL = "kubectl";

/**
 * Keeps the annotation of client-side apply in step when kubectl continues with server-side apply, so that a later
 * client-side apply compares with what was applied last. Only where the annotation is present already.
 * Source: apimachinery, util/managedfields/internal/lastappliedupdater.go
 */
export function updateLastApplied(applied: KubeObject, config: JsonObject, manager: string): KubeObject {
  const { annotations } = applied.metadata;
  if (manager !== KUBECTL || annotations?.[LAST_APPLIED] === undefined) return applied;
  const metadata = objectAt(config, "metadata");
  const own = omit(objectAt(metadata, "annotations"), LAST_APPLIED);
  const bare = omit(omit(metadata, "managedFields"), "annotations");
  const given = metadata["annotations"] === undefined ? bare : { ...bare, annotations: own };
  const text = `${JSON.stringify(sorted({ ...config, metadata: given }))}\n`;
  return withMetadata(applied, { annotations: { ...annotations, [LAST_APPLIED]: text } });
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([member, inner]) => [member, sorted(inner)]));
}

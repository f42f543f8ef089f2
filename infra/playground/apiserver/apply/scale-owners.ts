import type { Json } from "../objects/json.ts";
import {
  decodeManagers,
  encodeManagers,
  type FieldManager,
  type FieldManagers,
  type ManagedFieldsEntry,
} from "./field-managers.ts";
import { difference, draftSet, type FieldSet, insertPath, intersection, isEmptySet } from "./field-set.ts";

/**
 * Ownership on its way from an object to its Scale and back: who owns the replicas of the one owns those of the other.
 * On the way back Update entries lose their time, as on the real server, which looks for it under another apiVersion.
 * Source: Kubernetes v1.34, apimachinery/pkg/util/managedfields/scalehandler.go
 */

export const SCALE_API_VERSION = "autoscaling/v1";

const REPLICAS_OF_SCALE = fieldAt(["spec", "replicas"]);

/** The replicas field by the apiVersion of an entry; undefined in versions without Scale. */
export type ReplicasFields = ReadonlyMap<string, FieldSet | undefined>;

/** The set of one field, from the path to it. */
export function fieldAt(path: readonly string[]): FieldSet {
  const draft = draftSet();
  insertPath(
    draft,
    path.map((name) => `f:${name}`),
  );
  return draft;
}

function ownsReplicas(owner: FieldManager, fields: ReplicasFields): boolean {
  const field = fields.get(owner.apiVersion);
  return field !== undefined && !isEmptySet(intersection(owner.set, field));
}

/** The entries of a Scale: those of the object that own its replicas. */
export function ownersOfScale(entries: Json | undefined, fields: ReplicasFields) {
  const owners: FieldManagers = new Map();
  for (const [id, owner] of decodeManagers(entries) ?? []) {
    if (!ownsReplicas(owner, fields)) continue;
    owners.set(id, { ...owner, apiVersion: SCALE_API_VERSION, set: REPLICAS_OF_SCALE });
  }
  return encodeManagers(owners);
}

interface OfObject {
  readonly entries: Json | undefined;
  readonly apiVersion: string;
  readonly fields: ReplicasFields;
}

/** The entries of the object after its Scale was changed: who no longer owns the Scale's replicas loses the object's. */
export function ownersFromScale(
  scaleEntries: readonly ManagedFieldsEntry[] | undefined,
  { entries, apiVersion, fields }: OfObject,
): readonly ManagedFieldsEntry[] | undefined {
  const before = decodeManagers(entries) ?? new Map();
  const ofScale = decodeManagers(scaleEntries) ?? new Map();
  const owners: FieldManagers = new Map();
  for (const [id, owner] of before) {
    if (!fields.has(owner.apiVersion)) continue;
    const field = fields.get(owner.apiVersion);
    const isTaken = field !== undefined && ownsReplicas(owner, fields) && !ofScale.delete(id);
    const set = isTaken ? difference(owner.set, field) : owner.set;
    if (!isEmptySet(set)) owners.set(id, { ...owner, set });
  }
  const field = fields.get(apiVersion);
  for (const [id, owner] of ofScale) {
    if (field === undefined || isEmptySet(intersection(owner.set, REPLICAS_OF_SCALE))) continue;
    owners.set(id, { ...owner, apiVersion, time: before.get(id)?.time, set: field });
  }
  return encodeManagers(owners);
}

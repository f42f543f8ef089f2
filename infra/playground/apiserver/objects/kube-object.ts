import { isJsonObject, type Json, type JsonObject, type KubeJson, memberOf, sameJson } from "./json.ts";

/** The reference from a dependent to its owner, as the garbage collector reads it. */
export interface OwnerReference extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta extends JsonObject {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid: string;
  /** Decimal; compare as integers of one server only. */
  readonly resourceVersion: string;
  readonly generation?: number;
  /** RFC 3339, UTC, whole seconds. */
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly JsonObject[];
}

/** An object as stored. Storage, history and answers share it, so it is never changed in place. */
export interface KubeObject extends KubeJson {
  readonly metadata: ObjectMeta;
}

/** The member as a JSON object; `{}` for anything else. */
export function objectAt(object: JsonObject | undefined, field: string): JsonObject {
  const value = object?.[field];
  return isJsonObject(value) ? value : {};
}

/** The member as a list; `[]` for anything else. */
export function listAt(object: JsonObject | undefined, field: string): readonly Json[] {
  const value = object?.[field];
  return Array.isArray(value) ? value : [];
}

/** The member as text; `""` for anything else. */
export function textAt(object: JsonObject | undefined, field: string): string {
  const value = object?.[field];
  return typeof value === "string" ? value : "";
}

/** Returns the storage key: `namespace/name`, or `/name` for cluster-scoped objects; sorts like etcd's keys. */
export function keyOf(meta: { readonly namespace?: string; readonly name: string }): string {
  return `${meta.namespace ?? ""}/${meta.name}`;
}

/** A copy of `object` without `field`; the object itself when it has none. */
export function omit<T extends JsonObject>(object: T, field: string): T {
  if (!Object.hasOwn(object, field)) return object;
  const { [field]: _, ...rest } = object;
  return rest as T;
}

/** A copy of `object` with other metadata members; a member given as undefined is removed. */
export function withMetadata(
  object: KubeObject,
  changes: Readonly<Record<string, Json | undefined>>,
): KubeObject {
  const metadata: Record<string, Json> = { ...object.metadata };
  for (const [member, value] of Object.entries(changes)) {
    if (value === undefined) delete metadata[member];
    else metadata[member] = value;
  }
  return { ...object, metadata: metadata as ObjectMeta };
}

/** Kubernetes time: UTC, whole seconds. */
export function timestamp(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** Whether storing `next` over `live` would change nothing but times in managedFields. */
export function sameObject(live: KubeObject, next: KubeObject): boolean {
  if (!sameJson(omit(live.metadata, "managedFields"), omit(next.metadata, "managedFields"))) return false;
  if (!sameJson(entriesWithoutTime(live), entriesWithoutTime(next))) return false;
  return sameContent(live, next, []);
}

/** Whether everything outside metadata and `ignored` members is equal. */
export function sameContent(a: JsonObject, b: JsonObject, ignored: readonly string[]): boolean {
  for (const member of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (member === "metadata" || member === "apiVersion" || ignored.includes(member)) continue;
    if (!sameJson(memberOf(a, member), memberOf(b, member))) return false;
  }
  return true;
}

function entriesWithoutTime(object: KubeObject): Json[] {
  return listAt(object.metadata, "managedFields").map((entry) =>
    isJsonObject(entry) ? omit(entry, "time") : entry,
  );
}

import { StatusError } from "../errors/status-error.ts";
import type { Json, KubeJson } from "../objects/json.ts";
import { type KubeObject, type OwnerReference, withMetadata } from "../objects/kube-object.ts";
import {
  decodeManagers,
  encodeManagers,
  type FieldManager,
  type FieldManagers,
  identityOf,
} from "./field-managers.ts";
import {
  difference,
  draftSet,
  EMPTY_SET,
  type FieldSet,
  formatPath,
  insertPath,
  intersection,
  isEmptySet,
  keyElement,
  pathsOf,
  union,
} from "./field-set.ts";
import type { Type } from "./typed.ts";
import type { Comparison } from "./typed-compare.ts";
import { remove, setOf, withStructs } from "./typed-merge.ts";
import type { Views } from "./views.ts";

interface Merged {
  readonly merged: KubeJson;
  /** The sets with the manager's new set in place of its last one. */
  readonly managers: FieldManagers;
  readonly last: FieldManager;
  readonly views: Views;
}

/**
 * Removes the fields that the manager owned and no longer lists, unless another manager owns them or they were never
 * the manager's. Everything of the last set is taken out in the version of that set, then owned fields are put back,
 * then those that never had an owner. Throws NoView when the object cannot be shown in the version of an owner.
 */
export async function dropAbandoned({ merged, managers, last, views }: Merged): Promise<KubeJson> {
  if (isEmptySet(last.set)) return merged;
  const { type, object } = await views.of(merged, last.apiVersion);
  const lastSet = withStructs(last.set, type);
  let kept = remove(type, object, lastSet) as KubeJson;
  for (const [apiVersion, owned] of ownedByVersion(managers, last.apiVersion)) {
    const whole = await views.of(object, apiVersion);
    const bare = await views.of(kept, apiVersion);
    const isKept = union(members(whole.type, bare.object), withStructs(owned, whole.type));
    const unowned = difference(members(whole.type, whole.object), isKept);
    kept = remove(whole.type, whole.object, unowned) as KubeJson;
  }
  const remaining = await views.of(kept, last.apiVersion);
  const gone = difference(members(type, object), members(type, remaining.object));
  const result = remove(type, object, intersection(gone, lastSet)) as KubeJson;
  return (await views.of(result, merged.apiVersion)).object;
}

/** `first` comes first: without what is owned there, the object may not be fit to be converted. */
function ownedByVersion(managers: FieldManagers, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, EMPTY_SET]]);
  for (const { apiVersion, set } of managers.values()) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY_SET, set));
  }
  return owned;
}

function members(type: Type, object: Json): FieldSet {
  return withStructs(setOf(type, object), type);
}

interface Lists {
  readonly finalizers: string;
  readonly ownerReferences: OwnerReference;
}

/** Path elements of the members of a list in the metadata, as managedFields spell them. */
const ELEMENTS: { readonly [L in keyof Lists]: (member: Lists[L]) => string } = {
  finalizers: (name) => `v:${JSON.stringify(name)}`,
  ownerReferences: ({ uid }) => keyElement([["uid", uid]]),
};

/**
 * Returns the object without some members of a list in its metadata, and without the list when none is left. Every field
 * manager loses what is removed, and none gains anything, as for a patch that only removes.
 */
export function withoutMembers<L extends keyof Lists>(
  object: KubeObject,
  list: L,
  isRemoved: (member: Lists[L]) => boolean,
): KubeObject {
  const members = (object.metadata[list] ?? []) as readonly Lists[L][];
  const kept = members.filter((member) => !isRemoved(member));
  const removed = draftSet();
  const path = ["f:metadata", `f:${list}`];
  if (kept.length === 0) insertPath(removed, path);
  for (const member of members) if (isRemoved(member)) insertPath(removed, [...path, ELEMENTS[list](member)]);
  return withMetadata(object, {
    [list]: kept.length === 0 ? undefined : kept,
    managedFields: disowned(object, removed),
  });
}

/** Entries that cannot be read are not of this server; they stay. */
function disowned({ metadata }: KubeObject, removed: FieldSet): KubeObject["metadata"]["managedFields"] {
  const managers = decodeManagers(metadata.managedFields);
  if (managers === undefined) return metadata.managedFields;
  for (const [id, owner] of managers) managers.set(id, { ...owner, set: difference(owner.set, removed) });
  return encodeManagers(managers);
}

/** Members of metadata that the server owns. */
const IDENTITY = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "generation",
  "managedFields",
  "resourceVersion",
];

export const UNTRACKED: FieldSet = untracked();

/** Fields without an owner: apiVersion, kind, metadata itself and the identity in it. */
function untracked(): FieldSet {
  const draft = draftSet();
  for (const name of ["apiVersion", "kind", "metadata"]) insertPath(draft, [`f:${name}`]);
  for (const name of IDENTITY) insertPath(draft, ["f:metadata", `f:${name}`]);
  return draft;
}

/** A manager and what it would lose. */
export interface Conflict {
  readonly owner: FieldManager;
  readonly set: FieldSet;
}

/**
 * Takes from all but `self` what changed; `judge` sees first what others would lose and may throw.
 * `changes` are those an owner feels, by the apiVersion of its entry.
 */
export function settleOwners(
  managers: FieldManagers,
  self: string | undefined,
  changes: (apiVersion: string) => Comparison,
  judge: (conflicts: readonly Conflict[]) => void,
): void {
  const conflicts: Conflict[] = [];
  for (const [id, owner] of managers) {
    const { modified, added } = changes(owner.apiVersion);
    const set = id === self ? EMPTY_SET : intersection(owner.set, union(modified, added));
    if (!isEmptySet(set)) conflicts.push({ owner, set });
  }
  if (conflicts.length > 0) judge(conflicts);
  for (const [id, owner] of managers) {
    const { modified, added, removed } = changes(owner.apiVersion);
    const set = id === self ? owner.set : difference(owner.set, union(union(modified, added), removed));
    if (isEmptySet(set)) managers.delete(id);
    else if (set !== owner.set) managers.set(id, { ...owner, set });
  }
}

/** Removes the fields without an owner from every entry. */
export function untrackIdentity(managers: FieldManagers): void {
  for (const [id, owner] of managers) {
    const set = difference(owner.set, UNTRACKED);
    if (isEmptySet(set)) managers.delete(id);
    else if (set !== owner.set) managers.set(id, { ...owner, set });
  }
}

function managerText(owner: FieldManager): string {
  const subresource = owner.subresource === undefined ? "" : ` with subresource "${owner.subresource}"`;
  const version = owner.operation === "Update" ? ` using ${owner.apiVersion}` : "";
  return `${JSON.stringify(owner.manager)}${subresource}${version}`;
}

/** The answer to an apply that would take fields from others without force: a cause per path and manager. */
export function applyConflict(conflicts: readonly Conflict[]): StatusError {
  const blocks = conflicts
    .map(({ owner, set }) => ({
      id: identityOf(owner),
      name: managerText(owner),
      paths: pathsOf(set).map(formatPath),
    }))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  const causes = blocks.flatMap(({ name, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${name}`, field })),
  );
  const list =
    causes.length === 1
      ? `1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`
      : `${causes.length} conflicts: ${blocks
          .map(({ name, paths }) =>
            [`conflicts with ${name}:`, ...paths.map((path) => `- ${path}`)].join("\n"),
          )
          .join("\n")}`;
  return new StatusError(409, "Conflict", `Apply failed with ${list}`, { causes });
}

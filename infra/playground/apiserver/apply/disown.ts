import { type KubeObject, type OwnerReference, withMetadata } from "../objects/kube-object.ts";
import { decodeManagers, encodeManagers } from "./field-managers.ts";
import { difference, draftSet, type FieldSet, insertPath, keyElement } from "./field-set.ts";

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

import { apiVersionOf, groupOf, type Kind, type KubeObject, type OwnerReference } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";

/** The reference of a dependent to an owner that does not control it. */
export function ownerReference(kind: Kind, { metadata }: KubeObject): OwnerReference {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name: metadata.name, uid: metadata.uid ?? "" };
}

/** The reference of a dependent to the owner that controls it, and that waits for it when deleted in the foreground. */
export function controllerReference(kind: Kind, owner: KubeObject): OwnerReference {
  return { ...ownerReference(kind, owner), controller: true, blockOwnerDeletion: true };
}

/** The owner that controls an object; an object has at most one. */
export function controllerOf(object: Pick<KubeObject, "metadata">): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Whether one of the object's owners is the object with this uid. */
export function isOwnedBy(object: Pick<KubeObject, "metadata">, uid: string | undefined): boolean {
  return uid !== undefined && (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
}

/** Whether two references name the same object, whatever version and uid they carry. */
export function sameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return groupOf(a.apiVersion) === groupOf(b.apiVersion) && a.kind === b.kind && a.name === b.name;
}

/**
 * Operations that make `desired` an owner reference of `object`; none when it is right already.
 * An entry of the same group, kind and name is replaced at its index (older version, uid from before a move or
 * restore), a second one of these is removed, and so is an owner that was `temporary`; other owners stay. To be sent with
 * the runtime's guards.
 */
export function ownerReferencePatch(
  object: KubeObject,
  desired: OwnerReference,
  temporary: (owner: OwnerReference) => boolean = () => false,
): readonly PatchOperation[] {
  const owners = object.metadata.ownerReferences ?? [];
  if (owners.length === 0) return [{ op: "add", path: "/metadata/ownerReferences", value: [desired] }];
  const entries = [...owners.entries()];
  const first = entries.find(([, owner]) => sameOwner(owner, desired));
  const surplus = entries.filter(
    (entry) => entry !== first && (sameOwner(entry[1], desired) || temporary(entry[1])),
  );
  return [
    ...entryPatch(first, desired),
    // From the back, so that the indexes in front stay valid.
    ...surplus.reverse().flatMap((entry) => guarded(entry, "remove", desired)),
  ];
}

function entryPatch(
  first: readonly [number, OwnerReference] | undefined,
  desired: OwnerReference,
): readonly PatchOperation[] {
  if (first === undefined) return [{ op: "add", path: "/metadata/ownerReferences/-", value: desired }];
  return isSame(first[1], desired) ? [] : guarded(first, "replace", desired);
}

function guarded(
  [index, owner]: readonly [number, OwnerReference],
  op: "replace" | "remove",
  value: OwnerReference,
): readonly PatchOperation[] {
  const path = `/metadata/ownerReferences/${index}`;
  return [{ op: "test", path, value: owner }, op === "remove" ? { op, path } : { op, path, value }];
}

function isSame(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.uid === b.uid &&
    (a.controller ?? false) === (b.controller ?? false) &&
    (a.blockOwnerDeletion ?? false) === (b.blockOwnerDeletion ?? false)
  );
}

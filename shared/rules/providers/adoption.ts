import { CLUSTER_NAME_LABEL } from "../../api/indexes.ts";
import type { ContractReference, ContractVersion, KubeObject, OwnerReference } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import type { ContractKind } from "../../contract/contract-kind.ts";
import type { Found, Referenced } from "../../contract/referenced.ts";
import { labelPatch } from "../metadata/labels.ts";
import { controllerOf, isOwnedBy, ownerReferencePatch, sameOwner } from "../metadata/owner-references.ts";
import { awaitedDefinition } from "./awaited-definition.ts";

/** The fields that an adoption reads and writes. */
export const ADOPTED_FIELDS = [
  "metadata.ownerReferences",
  "metadata.labels[cluster.x-k8s.io/cluster-name]",
] as const;

/** The fields that say whether the values of a provider object count: whose it is, and whether it stays. */
export const OWN_FIELDS = ["metadata.uid", "metadata.ownerReferences", "metadata.deletionTimestamp"] as const;

/** Wanted owner reference of an object on the provider objects that it references. */
export interface Claim {
  /** The entry that it wants among their owner references. */
  readonly owner: OwnerReference;
  /** When their values count: once `owner` controls them, or as soon as they name `owner`. */
  readonly believes: "controlled" | "owned";
  /** The value of their cluster label. */
  readonly clusterName: string;
  /** Whether an owner, be it the controller, only held the object until `owner` was there, and is removed now. */
  readonly temporary?: (owner: OwnerReference) => boolean;
}

/** A provider object that an object references, as it was read. */
export interface Provider {
  readonly on: ContractKind;
  readonly reference: ContractReference;
  readonly found: Referenced;
}

/** Returns the controller for which a claim is refused: two controllers would fight for the object for ever. */
export function controllerAgainst(
  { owner, temporary }: Claim,
  object: KubeObject,
): OwnerReference | undefined {
  if (owner.controller !== true) return undefined;
  const controller = controllerOf(object);
  if (controller === undefined || controller.uid === owner.uid || temporary?.(controller)) return undefined;
  return sameOwner(controller, owner) ? undefined : controller;
}

/**
 * Returns whether the values of an object count. Always by uid: an entry from before a move or a restore is not enough.
 */
export function isOurs({ owner, believes }: Claim, object: KubeObject): boolean {
  return believes === "owned" ? isOwnedBy(object, owner.uid) : controllerOf(object)?.uid === owner.uid;
}

/** Returns a provider object whose values count; `undefined` for any other, and for one that is not there. */
export function ownAmong(claim: Claim, found: Referenced | undefined): Found | undefined {
  return found?.state === "found" && isOurs(claim, found.object) ? found : undefined;
}

/**
 * Returns the operations that give an object the owner reference and the cluster label of a claim; none when both are
 * right, when the claim is refused, and for an object that is not there.
 */
export function adoptionPatch(claim: Claim, found: Referenced | undefined): readonly PatchOperation[] {
  if (found?.state !== "found" || controllerAgainst(claim, found.object) !== undefined) return [];
  return [
    ...ownerReferencePatch(found.object, claim.owner, claim.temporary),
    ...labelPatch(found.object, CLUSTER_NAME_LABEL, claim.clusterName),
  ];
}

/** Returns whether `adopt` has something to write for one of these. */
export function isAdoptionDue(claim: Claim, providers: readonly Provider[]): boolean {
  return providers.some(({ found }) => adoptionPatch(claim, found).length > 0);
}

/** Returns why an object is not adopted, for its condition and its Event; `undefined`: the claim is not refused. */
export function refusal(claim: Claim, object: KubeObject): string | undefined {
  const controller = controllerAgainst(claim, object);
  return controller === undefined
    ? undefined
    : `${object.kind} ${object.metadata.name} is controlled by ${controller.kind} ${controller.name}`;
}

/**
 * Returns the field whose change lets a claim be made: of an object or a definition that does not exist, of a
 * definition without contract label, or of an object with another controller. `undefined`: nothing is missing.
 */
export function awaitedAdoption(claim: Claim, { on, reference, found }: Provider): string | undefined {
  if (found.state === "unresolved") return awaitedDefinition(found, reference);
  if (found.state === "missing") return `${on.contract}.metadata.uid`;
  return controllerAgainst(claim, found.object) === undefined
    ? undefined
    : `${on.contract}.metadata.ownerReferences`;
}

/**
 * Returns the same, then `pathUnder` the contract of the object: the field that is to change once the object counts.
 */
export function awaitedField(
  claim: Claim,
  provider: Provider,
  pathUnder: (contract: ContractVersion) => string,
): string {
  const own = ownAmong(claim, provider.found);
  const path = own === undefined ? "metadata.ownerReferences" : pathUnder(own.contract);
  return awaitedAdoption(claim, provider) ?? `${provider.on.contract}.${path}`;
}

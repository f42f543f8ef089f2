import { groupOf, type KubeObject, type OwnerReference } from "../../../api/kinds.ts";
import { textAt } from "../../../api/path.ts";
import { fail, type Judgement, na, unknown, warn } from "../rule.ts";
import { objectRule } from "./judgements.ts";
import type { Around, ObjectSubject } from "./subject.ts";

const GROUP = "ipam.cluster.x-k8s.io";
const PROTECTION = "ipam.cluster.x-k8s.io/protect-address";

export const claimedAddresses = objectRule({
  id: "IP-15",
  level: "MUST",
  sentence:
    "A claim of the pool has an IPAddress of the same name, controlled by the claim and owned by the pool, both blocking the deletion of their owner, and `status.addressRef` names it",
  effect: "infrastructure providers wait for `addressRef`",
  source: "https://cluster-api.sigs.k8s.io/developer/providers/contracts/ipam",
  check(subject) {
    const { around, object } = subject;
    const { name, namespace } = object.metadata;
    const claims = around.objectsBy(POOL_NAME, { group: GROUP, kind: "IPAddressClaim" }, namespace);
    const own = claims.with(name).filter((claim) => isClaimOf(claim, object));
    if (own.length > 0) return own.flatMap((claim) => judgeClaim(claim, subject));
    return claims.partial === undefined ? [na("no claim names the pool")] : [unknown(claims.partial)];
  },
});

const POOL_NAME = "spec.poolRef.name";

/** Whether a claim names the pool. */
function isClaimOf(claim: KubeObject, pool: KubeObject): boolean {
  const group = textAt(claim, "spec.poolRef.apiGroup");
  const kind = textAt(claim, "spec.poolRef.kind");
  return group === groupOf(pool.apiVersion) && kind === pool.kind;
}

function judgeClaim(claim: KubeObject, { object, around }: ObjectSubject): readonly Judgement[] {
  const { name, namespace = "", deletionTimestamp } = claim.metadata;
  if (deletionTimestamp !== undefined) return [na("the claim is being deleted", { at: around.place(claim) })];
  const at = { at: around.place(claim) };
  const addresses = around.objectsBy("metadata.name", { group: GROUP, kind: "IPAddress" }, namespace);
  const [address] = addresses.with(name);
  const named = textAt(claim, "status.addressRef.name");
  if (address === undefined) {
    if (named === "") return [unknown("the claim has no address yet", at)];
    if (addresses.partial !== undefined) return [unknown(addresses.partial, at)];
    return [
      fail({ ...at, found: `no IPAddress ${namespace}/${name}`, expected: "one with the name of the claim" }),
    ];
  }
  const path = "status.addressRef";
  return [
    ...(named === name
      ? []
      : [fail({ ...at, path, found: named === "" ? "absent" : named, expected: name })]),
    ...judgeAddress(address, claim, { object, around }),
  ];
}

function judgeAddress(
  address: KubeObject,
  claim: KubeObject,
  { object: pool, around }: { readonly object: KubeObject; readonly around: Around },
): readonly Judgement[] {
  const at = { at: around.place(address), path: "metadata.ownerReferences" };
  const owners = address.metadata.ownerReferences ?? [];
  const byClaim = owners.find((owner) => isTo(owner, claim));
  const byPool = owners.find((owner) => isTo(owner, pool));
  const expectedClaim = `IPAddressClaim ${claim.metadata.name} as controller, with blockOwnerDeletion`;
  const expectedPool = `${pool.kind} ${pool.metadata.name} as owner, not controller, with blockOwnerDeletion`;
  return [
    ...(byClaim?.controller === true && byClaim.blockOwnerDeletion === true
      ? []
      : [fail({ ...at, found: ownerText(byClaim), expected: expectedClaim })]),
    ...(byPool !== undefined && byPool.controller !== true && byPool.blockOwnerDeletion === true
      ? []
      : [fail({ ...at, found: ownerText(byPool), expected: expectedPool })]),
    ...(address.metadata.finalizers?.includes(PROTECTION) === true
      ? []
      : [warn({ at: at.at, path: "metadata.finalizers", found: "absent", expected: PROTECTION })]),
  ];
}

function isTo(owner: OwnerReference, { apiVersion, kind, metadata }: KubeObject): boolean {
  const sameKind = owner.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion);
  return sameKind && owner.name === metadata.name && (metadata.uid ?? owner.uid) === owner.uid;
}

function ownerText(owner: OwnerReference | undefined): string {
  if (owner === undefined) return "absent";
  const marks = [
    owner.controller === true ? "controller" : "",
    owner.blockOwnerDeletion === true ? "blocks" : "",
  ];
  return [owner.kind, owner.name, ...marks].filter((part) => part !== "").join(" ");
}

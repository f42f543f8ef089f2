import { CLUSTER_NAME_LABEL } from "../../../api/indexes.ts";
import { CLUSTER_GROUP, groupOf, type KubeObject, type OwnerReference } from "../../../api/kinds.ts";
import { fail, type Judgement, orPass, pass, unknown } from "../rule.ts";
import { type Life, type ProbeCheck, type ProbeSubject, type Snapshot, titleOf } from "./subject.ts";

/**
 * IMP-30 and its like: the owner and the label that core wrote stay, no other controller comes, the object stays. Objects
 * that had one name after the other are judged each by itself: core makes itself the owner of each.
 */
export function judgeKept(owner: string, isController: boolean): ProbeCheck {
  return ({ title, life }): readonly Judgement[] => {
    const byUid = Map.groupBy(life.seen.get(title) ?? [], ({ metadata }) => metadata.uid);
    const judgements = [...byUid.values()].flatMap((versions) => {
      const living = versions.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const kept = living.findIndex((object) => lostIn(object, owner, isController) === undefined);
      if (kept < 0) return [];
      for (const object of living.slice(kept)) {
        const lost = lostIn(object, owner, isController);
        if (lost !== undefined) return [lost];
      }
      const isGone = wasGone(versions, owner, life);
      return [isGone ? fail({ found: "the object was gone", expected: "it stays" }) : pass()];
    });
    if (judgements.length === 0) return [unknown(`core never made the ${owner} its owner`)];
    return orPass(judgements.filter(({ verdict }) => verdict === "fail"));
  };
}

/** It was missing in a look where the last owner of that kind that it had was there, and not being deleted. */
function wasGone(versions: readonly KubeObject[], owner: string, { snapshots }: Life): boolean {
  const last = versions.at(-1);
  if (last === undefined) return false;
  const isThere = (snapshot: Snapshot) => snapshot.get(titleOf(last))?.metadata.uid === last.metadata.uid;
  const first = snapshots.findIndex(isThere);
  const owners = coreOwnersOf(last).filter(({ kind }) => kind === owner);
  return (
    first >= 0 &&
    snapshots.slice(first).some((snapshot) => !isThere(snapshot) && owners.some(isLivingIn(snapshot)))
  );
}

function isLivingIn(snapshot: Snapshot): (owner: OwnerReference) => boolean {
  return ({ kind, name, uid }) => {
    const metadata = snapshot.get(`${kind} ${name}`)?.metadata;
    return metadata?.uid === uid && metadata.deletionTimestamp === undefined;
  };
}

/** Owners that core has set: Clusters, MachinePools, Machines. */
export function coreOwnersOf(object: KubeObject | undefined): readonly OwnerReference[] {
  const owners = object?.metadata.ownerReferences ?? [];
  return owners.filter(({ apiVersion }) => groupOf(apiVersion) === CLUSTER_GROUP);
}

function lostIn({ metadata }: KubeObject, owner: string, isController: boolean): Judgement | undefined {
  const owners = metadata.ownerReferences ?? [];
  const controller = owners.find((one) => one.controller === true);
  const path = "metadata.ownerReferences";
  const expected = `${owner} as ${isController ? "controller" : "owner"}`;
  if (!owners.some((one) => one.kind === owner)) return fail({ path, found: `no owner ${owner}`, expected });
  if (controller !== undefined && isController && controller.kind !== owner) {
    return fail({ path, found: `${controller.kind} ${controller.name} is the controller`, expected });
  }
  if (metadata.labels?.[CLUSTER_NAME_LABEL] !== undefined) return undefined;
  return fail({
    path: `metadata.labels[${CLUSTER_NAME_LABEL}]`,
    found: "absent",
    expected: "the name of the Cluster",
  });
}

/** IMP-33: the deleted object goes away, and does not wait for its owner. */
export function judgeGone({ title, life }: ProbeSubject): readonly Judgement[] {
  if (life.left === undefined) return [unknown("the Cluster was not deleted")];
  const finalizers = life.left.get(title);
  if (finalizers !== undefined) {
    const found = `still there, with finalizers ${finalizers.join(", ") || "none"}`;
    return [fail({ path: "metadata.finalizers", found, expected: "gone" })];
  }
  const owner = life.outlived.get(title);
  if (owner === undefined) return [pass()];
  return [fail({ found: `still there when ${owner} was gone`, expected: "gone before it" })];
}

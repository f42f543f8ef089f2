import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { objectKeyOf, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { GuardedPatch, StepContext } from "../../../../../shared/function/define-function.ts";
import { isDeleting, pausedBy } from "../../../../../shared/function/guards.ts";
import type { LiveReader } from "../../../../../shared/function/reads.ts";
import { done, failed, type Result, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { conditionOperations } from "../../../../../shared/rules/machines/condition-patch.ts";
import { hasReady } from "../../../../../shared/rules/machines/machine-conditions.ts";
import {
  controllerReference,
  ownerReferencePatch,
} from "../../../../../shared/rules/metadata/owner-references.ts";
import { controlPlaneHold } from "./control-plane-hold.ts";
import { type MachinesDecision, makeClones, makeMachine, withoutClones } from "./control-plane-making.ts";
import { nextStep, nodeIsMissingInMs, type Situation } from "./control-plane-next-step.ts";
import { propagationPatches } from "./control-plane-propagation.ts";
import { readMachines, readMachinesLive, withClones } from "./control-plane-reads.ts";
import { remediation } from "./control-plane-remediation.ts";
import { differences, rolloutAfterMs, upToDateCondition } from "./control-plane-up-to-date.ts";
import {
  type AnyControlPlane,
  isInitialized,
  kindOfControlPlane,
  machineTemplateOf,
} from "./control-plane-view.ts";

/**
 * Keeps the Machines of a control plane as its spec wants them: first the existing ones are brought in line, then what
 * they lack is made, then their number changes by one. Snapshots say whether there is something to do; their number
 * changes by live reads only.
 */
export async function controlPlaneMachines(
  object: AnyControlPlane,
  { read, now }: StepContext,
): Promise<MachinesDecision> {
  const template = machineTemplateOf(object);
  if (template === undefined) return { result: done };
  const { cluster, wait } = await controlPlaneHold(object, read);
  if (cluster === undefined || wait !== undefined) return { result: wait ?? done };
  if ("problem" in template) return { result: failed("InvalidSpec", template.problem) };

  const members = await withClones(read, await readMachines(read, object, cluster));
  const situation: Situation = { object, template, cluster, members, now };
  const patch = patchesOf(situation);
  if (patch.length > 0) return { patch, result: done };
  if (withoutClones(members).length > 0) return cloneMissing(situation, read.live);
  const step = nextStep(situation);
  return step.type === "rest" ? { result: restOf(situation, step.what) } : act(situation, read.live);
}

/** Returns patches: owner reference, what the template gives, and UpToDate; of one Machine only the first of these. */
function patchesOf(situation: Situation): readonly GuardedPatch[] {
  const { object, template, members, now } = situation;
  const owner = controllerReference(kindOfControlPlane(object), object);
  const adopted = members.flatMap(({ machine }) => {
    const operations = ownerReferencePatch(machine, owner);
    return operations.length === 0 ? [] : [{ target: refTo(Machine, machine), operations }];
  });
  if (adopted.length > 0) return adopted;
  const propagated = propagationPatches(object, template, members);
  if (propagated.length > 0) return propagated;
  return (
    members
      // Behind those that people look for first, which machine-status writes.
      .filter(({ machine }) => !isDeleting(machine) && hasReady(machine))
      .flatMap((member): readonly GuardedPatch[] => {
        const desired = upToDateCondition(differences(object, template, member, now));
        const operations = conditionOperations(member.machine, { present: [desired] }, now);
        const target = refTo(Machine, member.machine);
        return operations.length === 0 ? [] : [{ target, subresource: "status", operations }];
      })
  );
}

function restOf(situation: Situation, what: string | undefined): Result {
  const { object, now } = situation;
  const after = rolloutAfterMs(object);
  if (after !== undefined && after > now.getTime()) {
    return requeueAfter(after - now.getTime(), "spec.rollout.after");
  }
  const missingInMs = nodeIsMissingInMs(situation);
  if (Number.isFinite(missingInMs)) return requeueAfter(missingInMs, "the Node of an outdated Machine");
  return what === undefined ? done : waitFor(what);
}

async function cloneMissing(situation: Situation, live: LiveReader): Promise<MachinesDecision> {
  const { object, cluster } = situation;
  const machines = await readMachinesLive(live, object, cluster.metadata.name);
  const members = withoutClones(await withClones(live, machines));
  return members.length === 0 ? { result: done } : makeClones(live, situation, members);
}

/** Decides again on live reads: the control plane first, then its Machines. */
async function act(snapshot: Situation, live: LiveReader): Promise<MachinesDecision> {
  const kind = kindOfControlPlane(snapshot.object);
  const [object, cluster] = await Promise.all([
    live.get(kind, objectKeyOf(snapshot.object)) as Promise<AnyControlPlane | undefined>,
    live.get(Cluster, objectKeyOf(snapshot.cluster)),
  ]);
  const isSame = object?.metadata.uid === snapshot.object.metadata.uid;
  if (object === undefined || cluster === undefined || !isSame || isDeleting(object)) return { result: done };
  const pause = pausedBy(cluster, object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const template = machineTemplateOf(object);
  if (template === undefined || "problem" in template) return { result: done };
  const machines = await readMachinesLive(live, object, cluster.metadata.name);
  const members = await withClones(live, machines);
  const situation: Situation = { ...snapshot, object, cluster, template, members };
  const step = nextStep(situation);
  switch (step.type) {
    case "grow":
      // Machines of a Cluster that goes would only be taken down again.
      return isDeleting(cluster) ? { result: done } : makeMachine(live, situation, 1);
    case "tidy":
      return makeMachine(live, situation, 0);
    case "shrink":
      return { delete: [{ target: refTo(Machine, step.machine) }], result: done };
    case "remediate":
      return remediate(situation);
    case "rest":
      return { result: restOf(situation, step.what) };
    default:
      return step satisfies never;
  }
}

function remediate(situation: Situation): MachinesDecision {
  const { object, members, now } = situation;
  const machines = members.map(({ machine }) => machine);
  const writes = remediation({ machines, isInitialized: isInitialized(object), now });
  return { ...writes, result: done };
}

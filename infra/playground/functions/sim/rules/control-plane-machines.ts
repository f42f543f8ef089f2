import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../../../shared/api/indexes.ts";
import { type KubeObject, objectKeyOf, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../../../shared/api/machineset.ts";
import type { Decision, GuardedPatch, StepContext } from "../../../../../shared/function/define-function.ts";
import { hasFinalizer, isDeleting, pausedBy } from "../../../../../shared/function/guards.ts";
import type { LiveReader } from "../../../../../shared/function/reads.ts";
import { done, failed, type Result, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { conditionOperations } from "../../../../../shared/rules/machines/condition-patch.ts";
import { isControlPlaneMachine } from "../../../../../shared/rules/machines/control-plane-machine.ts";
import { hasReady } from "../../../../../shared/rules/machines/machine-conditions.ts";
import { removeFinalizerPatch } from "../../../../../shared/rules/metadata/finalizers.ts";
import {
  controllerReference,
  ownerReferencePatch,
} from "../../../../../shared/rules/metadata/owner-references.ts";
import { type MachinesDecision, makeClones, makeMachine, withoutClones } from "./control-plane-making.ts";
import { nextStep, nodeIsMissingInMs, type Situation } from "./control-plane-next-step.ts";
import {
  differences,
  propagationPatches,
  rolloutAfterMs,
  upToDateCondition,
} from "./control-plane-propagation.ts";
import { readMachines, readMachinesLive, withClones } from "./control-plane-reads.ts";
import { remediation } from "./control-plane-remediation.ts";
import {
  type AnyControlPlane,
  CONTROL_PLANE_FINALIZER,
  controlPlaneHold,
  isInitialized,
  kindOfControlPlane,
  machineTemplateOf,
} from "./control-plane-view.ts";

/**
 * Takes a deleted control plane apart: while the Cluster has workers nothing, then all of its Machines at once, then the
 * finalizer. Each on live reads. Workers drain with the help of the API server, so it outlives them.
 */
export async function deleteControlPlane(
  object: AnyControlPlane,
  { read }: StepContext,
): Promise<Decision<KubeObject, never>> {
  if (!isDeleting(object) || !hasFinalizer(object, CONTROL_PLANE_FINALIZER)) return { result: done };
  const { namespace = "", labels } = object.metadata;
  const name = labels?.[CLUSTER_NAME_LABEL];
  // No Cluster has adopted it yet: it has made nothing.
  if (name === undefined) return letGo(object);
  const cluster = await read.live.get(Cluster, { namespace, name });
  const pause = pausedBy(cluster, object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const worker = await firstWorker(read.live, namespace, name);
  if (worker !== undefined) return { result: waitFor(`${worker.kind} deleted`) };

  const machines = await readMachinesLive(read.live, object, name);
  if (machines.length === 0) return letGo(object);
  const due = machines.filter((machine) => !isDeleting(machine));
  return {
    delete: due.map((machine) => ({ target: refTo(Machine, machine) })),
    result: waitFor("Machine deleted"),
  };
}

/** A MachineDeployment keeps its workers in MachineSets. */
async function firstWorker(
  live: Pick<LiveReader, "list">,
  namespace: string,
  clusterName: string,
): Promise<KubeObject | undefined> {
  const options = { namespace, labelSelector: `${CLUSTER_NAME_LABEL}=${clusterName}` };
  const [pools, sets, machines] = await Promise.all([
    live.list(MachinePool, options),
    live.list(MachineSet, options),
    live.list(Machine, options),
  ]);
  return pools[0] ?? sets[0] ?? machines.find((machine) => !isControlPlaneMachine(machine));
}

function letGo(object: AnyControlPlane): Decision<KubeObject, never> {
  const operations = removeFinalizerPatch(object, CONTROL_PLANE_FINALIZER);
  return { patch: [{ target: refTo(kindOfControlPlane(object), object), operations }], result: done };
}

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

import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../../../shared/api/indexes.ts";
import { type KubeObject, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../../../shared/api/machineset.ts";
import type { Decision, StepContext } from "../../../../../shared/function/define-function.ts";
import { hasFinalizer, isDeleting, pausedBy } from "../../../../../shared/function/guards.ts";
import type { LiveReader } from "../../../../../shared/function/reads.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { isControlPlaneMachine } from "../../../../../shared/rules/machines/control-plane-machine.ts";
import { removeFinalizerPatch } from "../../../../../shared/rules/metadata/finalizers.ts";
import { CONTROL_PLANE_FINALIZER } from "./control-plane-hold.ts";
import { readMachinesLive } from "./control-plane-reads.ts";
import { type AnyControlPlane, kindOfControlPlane } from "./control-plane-view.ts";

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

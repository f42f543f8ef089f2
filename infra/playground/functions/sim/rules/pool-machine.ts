import { objectKeyOf, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { StepContext } from "../../../../../shared/function/define-function.ts";
import { hasFinalizer, pausedBy } from "../../../../../shared/function/guards.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { condition, type DesiredCondition } from "../../../../../shared/rules/conditions/conditions.ts";
import { readClusterByLabel } from "../../../../../shared/rules/metadata/cluster-label.ts";
import { removeFinalizerPatch } from "../../../../../shared/rules/metadata/finalizers.ts";
import { SimInstance } from "../../../api/sim-cloud.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import { SimMachinePool } from "../../../api/sim-machinepool.ts";
import { isKept, SIM_MACHINE_FINALIZER, simMachineReference } from "./fleet.ts";
import { machineReport, type SimMachineDecision } from "./own-machine.ts";

/** Whether a SimMachinePool has made the SimMachine, for an instance that is there already. */
export function isOfPool({ metadata }: SimMachine): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === SimMachinePool.kind);
}

/**
 * Reports the instance of a pool and takes it down. A deleted Machine is taken apart by the functions of Machines: drain
 * first, then its SimMachine.
 */
export async function poolMachine(
  object: SimMachine,
  { read, now }: StepContext,
  paused: DesiredCondition,
): Promise<SimMachineDecision> {
  const { namespace = "" } = object.metadata;
  const index = { name: "reference", values: [simMachineReference(object.metadata)] };
  const [machine] = await read.list(Machine, { namespace, index });
  if (object.metadata.deletionTimestamp !== undefined) return takeDown(object, machine, read);

  const instance = instanceOf(object, await read.get(SimInstance, objectKeyOf(object)));
  if (instance === undefined) return followInstance(object, machine, read);
  const runs = instance.status?.phase === "Running";
  const ready = runs
    ? condition("Ready", "True", "Ready")
    : condition("Ready", "False", "NotReady", `SimInstance ${object.metadata.name} does not run yet`);
  return {
    apply: machineReport(object, [paused, ready], now, runs ? instance : undefined),
    result: runs ? done : waitFor("SimInstance.status.phase"),
  };
}

/**
 * The instance has gone by itself: its Machine goes. Without one this SimMachine, and with one that no finalizer keeps:
 * that would be gone at once, and be recreated for the SimMachine.
 */
async function followInstance(
  object: SimMachine,
  machine: Machine | undefined,
  { live }: StepContext["read"],
): Promise<SimMachineDecision> {
  const [cluster, instance, own, liveMachine] = await Promise.all([
    readClusterByLabel(live, object),
    live.get(SimInstance, objectKeyOf(object)),
    live.get(SimMachine, objectKeyOf(object)),
    machineOf(object, machine, live),
  ]);
  const pause = pausedBy(cluster, object);
  if (pause !== undefined) return { result: waitFor(pause) };
  if (instanceOf(object, instance) !== undefined) return { result: done };
  if (own === undefined || own.metadata.uid !== object.metadata.uid) return { result: done };
  if (liveMachine === undefined || !isKept(liveMachine))
    return { delete: [{ target: refTo(SimMachine, own) }], result: done };
  return {
    delete:
      liveMachine.metadata.deletionTimestamp === undefined ? [{ target: refTo(Machine, liveMachine) }] : [],
    result: done,
  };
}

/** The instance first, then the Machine is deleted, then this object goes, for which the Machine waits. */
async function takeDown(
  object: SimMachine,
  machine: Machine | undefined,
  { live }: StepContext["read"],
): Promise<SimMachineDecision> {
  if (!hasFinalizer(object, SIM_MACHINE_FINALIZER)) return { result: done };
  const pause = pausedBy(await readClusterByLabel(live, object), object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const instance = instanceOf(object, await live.get(SimInstance, objectKeyOf(object)));
  if (instance !== undefined) {
    return {
      delete:
        instance.metadata.deletionTimestamp === undefined ? [{ target: refTo(SimInstance, instance) }] : [],
      result: waitFor("SimInstance deleted"),
    };
  }
  const kept = await machineOf(object, machine, live);
  if (kept !== undefined && kept.metadata.deletionTimestamp === undefined) {
    return {
      delete: [{ target: refTo(Machine, kept) }],
      result: waitFor("Machine.metadata.deletionTimestamp"),
    };
  }
  const operations = removeFinalizerPatch(object, SIM_MACHINE_FINALIZER);
  return { patch: [{ target: refTo(SimMachine, object), operations }], result: done };
}

/** The Machine as the API server has it; one that no snapshot shows yet has the name of its SimMachine. */
async function machineOf(
  object: SimMachine,
  machine: Machine | undefined,
  live: StepContext["read"]["live"],
): Promise<Machine | undefined> {
  const found = await live.get(Machine, objectKeyOf(machine ?? object));
  const { kind, name } = found?.spec.infrastructureRef ?? {};
  return kind === SimMachine.kind && name === object.metadata.name ? found : undefined;
}

/** Another instance may have the name by now. */
function instanceOf({ spec }: SimMachine, instance: SimInstance | undefined): SimInstance | undefined {
  return instance?.spec.providerID === spec.providerID ? instance : undefined;
}

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import { objectKeyOf, refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { SimInstance } from "../../shared/api/sim/sim-cloud.ts";
import { SimMachine } from "../../shared/api/sim/sim-machine.ts";
import {
  type Decision,
  defineFunction,
  type StepContext,
  watch,
} from "../../shared/function/define-function.ts";
import { inCluster, itself, referenced, sameName } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { condition, type DesiredCondition, setConditions } from "../../shared/rules/conditions/conditions.ts";
import {
  addFinalizerPatch,
  FINALIZER_FIELDS,
  hasFinalizer,
  removeFinalizerPatch,
} from "../../shared/rules/metadata/finalizers.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { isPaused, pausedCondition } from "../../shared/rules/metadata/paused.ts";
import { INSTANCE_FIELDS } from "./rules/instances.ts";
import { SIM_MACHINE_FINALIZER, simMachineReference } from "./rules/machines.ts";

const OWNED = ["status.initialization.provisioned", "status.ready", "status.conditions"] as const;
type Owned = (typeof OWNED)[number];
type SimDecision = Decision<SimMachine, Owned>;

/** Where Machine functions run, they take a deleted Machine apart: drain first, then its SimMachine. */
const MACHINE_FINALIZER = "machine.cluster.x-k8s.io";

export const simMachine = defineFunction<SimMachine, Owned>(
  {
    name: "sim-machine",
    summary: "Reports a simulated instance as an infrastructure machine and takes it down with its Machine.",
    source: "MP-10.6, PC-4",
    reconciles: SimMachine,
    watches: [
      watch(SimMachine, ["metadata.uid", ...HOLD_FIELDS, "spec.providerID"], itself),
      // An instance has the name of its SimMachine.
      watch(SimInstance, INSTANCE_FIELDS, sameName),
      watch(Machine, ["metadata.uid", ...FINALIZER_FIELDS], referenced),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    reads: [{ on: SimInstance, fields: ["spec.providerID"] }],
    owns: OWNED,
    ownsOn: [
      { kind: SimMachine, fields: ["metadata.finalizers"] },
      { kind: Machine, fields: ["metadata.finalizers"] },
    ],
    inTurnWith: [
      {
        function: "sim-machinepool",
        on: Machine,
        field: "metadata.finalizers",
        reason: "sim-machine as long as the SimMachine exists, sim-machinepool once it is gone",
      },
    ],
    calls: [
      { verb: "delete", kind: Machine },
      { verb: "delete", kind: SimMachine },
      { verb: "delete", kind: SimInstance },
    ],
  },
  async (object, { read, now }) => {
    const { namespace = "", labels } = object.metadata;
    const cluster = await read.get(Cluster, { namespace, name: labels?.[CLUSTER_NAME_LABEL] ?? "" });
    const paused = pausedCondition(cluster, object, "SimMachine");
    if (isPaused(cluster, object)) return { apply: statusOf(object, [paused], now), result: done };
    const index = { name: "reference", values: [simMachineReference(object.metadata)] };
    const [machine] = await read.list(Machine, { namespace, index });
    if (object.metadata.deletionTimestamp !== undefined) return takeDown(object, machine, read);
    if (machine !== undefined && isLeftToUs(machine)) return followMachine(object, machine, read);

    const instance = instanceOf(object, await read.get(SimInstance, objectKeyOf(object)));
    if (instance === undefined) return followInstance(object, machine, read);
    const runs = instance.status?.phase === "Running";
    const ready = runs
      ? condition("Ready", "True", "Ready")
      : condition("Ready", "False", "NotReady", `SimInstance ${object.metadata.name} does not run yet`);
    return {
      apply: statusOf(object, [paused, ready], now, runs),
      result: runs ? done : waitFor("SimInstance.status.phase"),
    };
  },
);

/** Returns whether this Machine would be gone before its instance: no other finalizer keeps it that long. */
function isLeftToUs(machine: Machine): boolean {
  if (hasFinalizer(machine, MACHINE_FINALIZER)) return false;
  return machine.metadata.deletionTimestamp !== undefined || !hasFinalizer(machine, SIM_MACHINE_FINALIZER);
}

/** Keeps the Machine until its instance is gone: a Machine that is gone would be recreated. */
async function followMachine(
  object: SimMachine,
  machine: Machine,
  read: StepContext["read"],
): Promise<SimDecision> {
  if (machine.metadata.deletionTimestamp === undefined) {
    const operations = addFinalizerPatch(machine, SIM_MACHINE_FINALIZER);
    return { patch: [{ target: refTo(Machine, machine), operations }], result: done };
  }
  const [live, own] = await Promise.all([
    read.live.get(Machine, objectKeyOf(machine)),
    read.live.get(SimMachine, objectKeyOf(object)),
  ]);
  // One that is gone may have been that of an earlier SimMachine of this name.
  const goes = live?.metadata.deletionTimestamp !== undefined;
  if (!goes || own === undefined || own.metadata.uid !== object.metadata.uid) return { result: done };
  return { delete: [{ target: refTo(SimMachine, own) }], result: done };
}

/** The instance has gone by itself: its Machine goes, or without one this SimMachine. Source: MP-10.6 */
async function followInstance(
  object: SimMachine,
  machine: Machine | undefined,
  { live }: StepContext["read"],
): Promise<SimDecision> {
  const [instance, own, liveMachine] = await Promise.all([
    live.get(SimInstance, objectKeyOf(object)),
    live.get(SimMachine, objectKeyOf(object)),
    machineOf(object, machine, live),
  ]);
  if (instanceOf(object, instance) !== undefined) return { result: done };
  if (own === undefined || own.metadata.uid !== object.metadata.uid) return { result: done };
  if (liveMachine === undefined) return { delete: [{ target: refTo(SimMachine, own) }], result: done };
  return {
    delete:
      liveMachine.metadata.deletionTimestamp === undefined ? [{ target: refTo(Machine, liveMachine) }] : [],
    result: done,
  };
}

/** The instance first, then the Machine is deleted and let go, then this object. */
async function takeDown(
  object: SimMachine,
  machine: Machine | undefined,
  { live }: StepContext["read"],
): Promise<SimDecision> {
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
  if (kept !== undefined && hasFinalizer(kept, SIM_MACHINE_FINALIZER)) {
    const operations = removeFinalizerPatch(kept, SIM_MACHINE_FINALIZER);
    return { patch: [{ target: refTo(Machine, kept), operations }], result: done };
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

/** Present status with these conditions. Provisioned is never taken back. */
function statusOf(
  { status, metadata }: SimMachine,
  desired: readonly DesiredCondition[],
  now: Date,
  runs = false,
): NonNullable<SimDecision["apply"]> {
  const provisioned = runs || status?.initialization?.provisioned;
  return {
    "status.initialization.provisioned": provisioned,
    "status.ready": provisioned,
    "status.conditions": setConditions(status?.conditions, desired, now, metadata.generation),
  };
}

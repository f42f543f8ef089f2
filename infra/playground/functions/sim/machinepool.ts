import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { objectKeyOf, refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { sameJson } from "../../../../shared/api/path.ts";
import {
  type Decision,
  defineFunction,
  type StepContext,
  watch,
} from "../../../../shared/function/define-function.ts";
import {
  HOLD_FIELDS,
  hasFinalizer,
  isPaused,
  PAUSING_FIELDS,
  pausedBy,
} from "../../../../shared/function/guards.ts";
import { inCluster, itself, ownedBy, owners, siblings } from "../../../../shared/function/mappings.ts";
import { done, requeueAfter, waitFor } from "../../../../shared/function/result.ts";
import {
  condition,
  type DesiredCondition,
  setConditions,
} from "../../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../../shared/rules/conditions/paused-condition.ts";
import { CLUSTER_LABEL_FIELDS, readClusterByLabel } from "../../../../shared/rules/metadata/cluster-label.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../../shared/rules/metadata/finalizers.ts";
import { OWNER_FIELDS, readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { MANAGED_FIELDS } from "../../../../shared/rules/providers/replicas-managed.ts";
import { SimInstance } from "../../api/sim-cloud.ts";
import { SimMachine } from "../../api/sim-machine.ts";
import { SimMachinePool } from "../../api/sim-machinepool.ts";
import {
  missingDependency,
  missingParts,
  orphanedMachines,
  readFleet,
  readFleetLive,
  removalOf,
  withFaults,
} from "./rules/fleet.ts";
import {
  hasBeenProvisioned,
  INSTANCE_FIELDS,
  REPLICA_FIELDS,
  runningProviderIDs,
  surplusInstances,
  wantedReplicas,
} from "./rules/instances.ts";

const FINALIZER = "simmachinepool.infrastructure.sim.capstan.dev";

const OWNED = [
  "status.ready",
  "status.replicas",
  "status.initialization.provisioned",
  "status.failureReason",
  "status.failureMessage",
  "status.infrastructureMachineKind",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

export const simMachinepool = defineFunction<SimMachinePool, Owned>(
  {
    name: "sim-machinepool",
    summary: "Keeps as many simulated instances as the MachinePool wants and lists their provider IDs.",
    source: "own",
    reconciles: SimMachinePool,
    watches: [
      watch(
        SimMachinePool,
        [
          "metadata.uid",
          ...OWNER_FIELDS,
          ...HOLD_FIELDS,
          ...CLUSTER_LABEL_FIELDS,
          "spec.providerIDList",
          "spec.machines",
          ...REPLICA_FIELDS,
          "spec.faults",
        ],
        itself,
      ),
      watch(
        MachinePool,
        [
          "metadata.uid",
          ...MANAGED_FIELDS,
          ...REPLICA_FIELDS,
          "spec.template.spec.bootstrap.dataSecretName",
          "spec.template.spec.version",
        ],
        ownedBy,
      ),
      watch(Cluster, [...PAUSING_FIELDS, "status.initialization.infrastructureProvisioned"], inCluster),
      watch(SimInstance, INSTANCE_FIELDS, owners),
      watch(SimMachine, ["metadata.uid", "metadata.deletionTimestamp"], owners),
      watch(Machine, ["metadata.uid", "metadata.deletionTimestamp"], siblings),
    ],
    blocks: [SimMachinePool],
    reads: [
      { on: SimMachinePool, fields: ["spec"] },
      { on: SimInstance, fields: ["spec"] },
      {
        on: Machine,
        fields: ["spec.infrastructureRef", "metadata.annotations[cluster.x-k8s.io/delete-machine]"],
      },
    ],
    owns: OWNED,
    ownsOn: [{ kind: SimMachinePool, fields: ["metadata.finalizers", "spec.providerIDList"] }],
    calls: [
      { verb: "create", kind: SimInstance },
      { verb: "create", kind: SimMachine },
      { verb: "delete", kind: SimInstance },
      { verb: "delete", kind: SimMachine },
      { verb: "delete", kind: Machine },
    ],
    // The instances of a pool start to run together: one list for all of them.
    queue: { concurrency: 20, settleMs: 20 },
  },
  async (object, context) => {
    const { read, now } = context;
    const pool = await readOwner(MachinePool, object, read);
    const cluster = await readClusterByLabel(read, object);
    const paused = pausedCondition(cluster, object, "SimMachinePool");
    if (isPaused(cluster, object)) return { apply: statusOf(object, [paused], now), result: done };
    if (object.metadata.deletionTimestamp !== undefined) return deleteInstances(object, context);
    if (pool === undefined) return { result: waitFor("SimMachinePool.metadata.ownerReferences") };
    // The deletion of this object follows; until then nothing new is made.
    if (pool.metadata.deletionTimestamp !== undefined) return { result: waitFor("MachinePool deleted") };
    if (!hasFinalizer(object, FINALIZER)) return patched(object, addFinalizerPatch(object, FINALIZER));
    const missing = missingDependency(object, pool, cluster);
    if (missing !== undefined) {
      const message = "Waiting for the infrastructure of the Cluster, bootstrap data and replicas";
      const waiting = condition("Ready", "False", "NotReady", message);
      return { apply: statusOf(object, [paused, waiting], now), result: waitFor(missing) };
    }
    return scale(object, pool, context, paused);
  },
);

async function scale(
  object: SimMachinePool,
  pool: MachinePool,
  context: StepContext,
  paused: DesiredCondition,
): Promise<Decision<SimMachinePool, Owned>> {
  const { read, now } = context;
  const wanted = wantedReplicas(object, pool) ?? 0;
  const fleet = { object, pool, wanted, ...(await readFleet(read, object, pool)) };
  const isTooMuch = surplusInstances(fleet).length + orphanedMachines(object, fleet).length > 0;
  if (isTooMuch) return scaleDown(object, pool, context);
  if (missingParts(fleet, now).length > 0) {
    // Snapshots of different kinds are of different times: an object that has just gone would be recreated.
    const live = { ...fleet, ...(await readFleetLive(read.live, object)) };
    return { create: missingParts(live, now), result: done };
  }
  const running = runningProviderIDs(object, fleet.instances);
  const complete = running.length === wanted;
  const provisioned = hasBeenProvisioned(object) || complete;
  // Before the first time the list appears at once: a list that grows one by one wakes Cluster API for nothing.
  const providerIDs = provisioned ? running : [];
  const truth = { providerIDs, replicas: providerIDs.length, ready: provisioned };
  const report = withFaults(object, truth, now);
  if (!sameJson(object.spec.providerIDList ?? [], report.providerIDs)) {
    // Spec before status: the write raises the generation that the conditions name.
    return patched(object, [{ op: "add", path: "/spec/providerIDList", value: report.providerIDs }]);
  }
  const ready = complete
    ? condition("Ready", "True", "Ready")
    : condition("Ready", "False", "NotReady", progressOf(running.length, wanted, provisioned));
  return {
    apply: {
      ...statusOf(object, [paused, ready], now),
      "status.ready": report.ready,
      "status.initialization.provisioned": provisioned,
      "status.replicas": report.replicas,
      "status.failureReason": report.failureReason,
      "status.failureMessage": report.failureMessage,
      "status.infrastructureMachineKind": object.spec.machines === true ? SimMachine.kind : undefined,
    },
    result: resultOf(complete, report.changesInMs),
  };
}

function resultOf(
  complete: boolean,
  changesInMs: number | undefined,
): Decision<SimMachinePool, Owned>["result"] {
  if (changesInMs !== undefined) return requeueAfter(changesInMs, "spec.faults.notReadyAfterSeconds");
  return complete ? done : waitFor("SimInstance.status.phase");
}

/** Counts only after the first time: a pool of fifty that boots must not write its status fifty times. */
function progressOf(running: number, wanted: number, provisioned: boolean): string {
  return provisioned ? `${running} of ${wanted} instances run` : `Waiting for ${wanted} instances to run`;
}

/** Decides again on live reads: an instance that was wanted is gone for good. */
async function scaleDown(
  snapshot: SimMachinePool,
  pool: MachinePool,
  { read }: StepContext,
): Promise<Decision<SimMachinePool, Owned>> {
  const [object, livePool, liveCluster, parts] = await Promise.all([
    read.live.get(SimMachinePool, objectKeyOf(snapshot)),
    read.live.get(MachinePool, objectKeyOf(pool)),
    readClusterByLabel(read.live, snapshot),
    readFleetLive(read.live, snapshot),
  ]);
  const isSame =
    object?.metadata.uid === snapshot.metadata.uid && livePool?.metadata.uid === pool.metadata.uid;
  const unknown = { result: waitFor("MachinePool.spec.replicas") };
  if (object === undefined || livePool === undefined || !isSame) return unknown;
  const wanted = wantedReplicas(object, livePool);
  if (wanted === undefined) return unknown;
  const pause = pausedBy(liveCluster, object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const surplus = surplusInstances({ object, pool, wanted, ...parts });
  return { delete: removalOf(object, parts, surplus), result: done };
}

/** Machines first where there are any, then instances, then the finalizer; the Nodes go with the instances. */
async function deleteInstances(
  object: SimMachinePool,
  { read }: StepContext,
): Promise<Decision<SimMachinePool, Owned>> {
  if (!hasFinalizer(object, FINALIZER)) return { result: done };
  const pause = pausedBy(await readClusterByLabel(read.live, object), object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const parts = await readFleetLive(read.live, object);
  const left = [...parts.instances, ...parts.simMachines];
  if (left.length + orphanedMachines(object, parts).length === 0) {
    return patched(object, removeFinalizerPatch(object, FINALIZER));
  }
  return { delete: removalOf(object, parts, left), result: waitFor("SimInstance deleted") };
}

/** Returns the present status with these conditions. */
function statusOf(
  { status = {}, metadata }: SimMachinePool,
  desired: readonly DesiredCondition[],
  now: Date,
): NonNullable<Decision<SimMachinePool, Owned>["apply"]> {
  return {
    "status.ready": status.ready,
    "status.replicas": status.replicas,
    "status.initialization.provisioned": status.initialization?.provisioned,
    "status.failureReason": status.failureReason,
    "status.failureMessage": status.failureMessage,
    "status.infrastructureMachineKind": status.infrastructureMachineKind,
    "status.conditions": setConditions(status.conditions, desired, now, metadata.generation),
  };
}

function patched(
  object: SimMachinePool,
  operations: readonly PatchOperation[],
): Decision<SimMachinePool, Owned> {
  return { patch: [{ target: refTo(SimMachinePool, object), operations }], result: done };
}

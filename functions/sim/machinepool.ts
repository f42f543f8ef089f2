import { Cluster } from "../../shared/api/cluster.ts";
import { objectKeyOf, refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { SimInstance, SimMachinePool } from "../../shared/api/sim.ts";
import { condition, type DesiredCondition, setConditions } from "../../shared/rules/conditions.ts";
import { addFinalizerPatch, hasFinalizer, removeFinalizerPatch } from "../../shared/rules/finalizers.ts";
import { ownedBy as isOwnedBy } from "../../shared/rules/owner-references.ts";
import { isPaused, pausedCondition } from "../../shared/rules/paused.ts";
import { readOwner } from "../../shared/rules/read-owner.ts";
import {
  instanceLabels,
  missingInstances,
  runningProviderIDs,
  surplusInstances,
} from "../../shared/rules/sim-instances.ts";
import {
  type Decision,
  defineFunction,
  type StepContext,
  watch,
} from "../../shared/runtime/define-function.ts";
import { inCluster, itself, ownedBy, owners } from "../../shared/runtime/mappings.ts";
import { sameJson } from "../../shared/runtime/path.ts";
import type { PatchOperation } from "../../shared/runtime/ports.ts";
import { done, waitFor } from "../../shared/runtime/result.ts";

const FINALIZER = "simmachinepool.infrastructure.sim.capstan.dev";

const OWNED = [
  "status.ready",
  "status.replicas",
  "status.initialization.provisioned",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

export const simMachinepool = defineFunction<SimMachinePool, Owned>(
  {
    name: "sim-machinepool",
    summary: "Keeps as many simulated instances as the MachinePool wants and lists their provider IDs.",
    source: "machinepool.md 6.2, provider-contracts.md 4",
    reconciles: SimMachinePool,
    watches: [
      watch(
        SimMachinePool,
        [
          "metadata.uid",
          "metadata.ownerReferences",
          "metadata.finalizers",
          "metadata.deletionTimestamp",
          "metadata.annotations[cluster.x-k8s.io/paused]",
          "spec.providerIDList",
        ],
        itself,
      ),
      watch(
        MachinePool,
        [
          "metadata.uid",
          "spec.replicas",
          "spec.template.spec.bootstrap.dataSecretName",
          "spec.template.spec.version",
        ],
        ownedBy,
      ),
      watch(
        Cluster,
        ["metadata.uid", "spec.paused", "status.initialization.infrastructureProvisioned"],
        inCluster,
      ),
      watch(SimInstance, ["metadata.uid", "metadata.deletionTimestamp", "status.phase"], owners),
    ],
    owns: OWNED,
    ownsOn: [{ kind: SimMachinePool, fields: ["metadata.finalizers", "spec.providerIDList"] }],
    calls: [
      { verb: "create", kind: SimInstance },
      { verb: "delete", kind: SimInstance },
    ],
    // The instances of a pool start to run together: one list for all of them.
    queue: { concurrency: 20, settleMs: 20 },
  },
  async (object, context) => {
    const { read, now } = context;
    const pool = await readOwner(MachinePool, object, read);
    const { namespace = "" } = object.metadata;
    const cluster =
      pool === undefined ? undefined : await read.get(Cluster, { namespace, name: pool.spec.clusterName });
    const paused = pausedCondition(cluster, object, "SimMachinePool");
    if (isPaused(cluster, object)) return { apply: statusOf(object, [paused], now), result: done };
    if (object.metadata.deletionTimestamp !== undefined) return takeApart(object, cluster, context);
    if (pool === undefined) return { result: waitFor("SimMachinePool.metadata.ownerReferences") };
    // The deletion of this object follows; until then nothing new is made.
    if (pool.metadata.deletionTimestamp !== undefined) return { result: waitFor("MachinePool deleted") };
    if (!hasFinalizer(object, FINALIZER)) return patched(object, addFinalizerPatch(object, FINALIZER));
    const missing = missingDependency(pool, cluster);
    if (missing !== undefined) {
      const message = "Waiting for the infrastructure of the Cluster, bootstrap data and replicas";
      const waiting = condition("Ready", "False", "NotReady", message);
      return { apply: statusOf(object, [paused, waiting], now), result: waitFor(missing) };
    }
    return scale(object, pool, context, paused);
  },
);

/** What must be there before the first instance is made. */
function missingDependency(pool: MachinePool, cluster: Cluster | undefined): string | undefined {
  if (cluster?.status?.initialization?.infrastructureProvisioned !== true) {
    return "Cluster.status.initialization.infrastructureProvisioned";
  }
  // The empty string is a value: no bootstrap data wanted.
  if (pool.spec.template.spec.bootstrap.dataSecretName === undefined) {
    return "MachinePool.spec.template.spec.bootstrap.dataSecretName";
  }
  return pool.spec.replicas === undefined ? "MachinePool.spec.replicas" : undefined;
}

async function scale(
  object: SimMachinePool,
  pool: MachinePool,
  context: StepContext,
  paused: DesiredCondition,
): Promise<Decision<SimMachinePool, Owned>> {
  const { read, now } = context;
  const { namespace = "", uid = "" } = object.metadata;
  const instances = await read.list(SimInstance, { namespace, index: { name: "owner", values: [uid] } });
  const wanted = Math.max(0, pool.spec.replicas ?? 0);
  const create = missingInstances(object, pool, instances, now);
  if (create.length > 0) return { create, result: done };
  if (surplusInstances(object, wanted, instances).length > 0) return scaleDown(object, pool, context);

  const running = runningProviderIDs(object, instances);
  const complete = running.length === wanted;
  const provisioned = object.status?.initialization?.provisioned === true || complete;
  // Before the first time the list appears at once: a list that grows one by one wakes Cluster API for nothing.
  const providerIDs = provisioned ? running : [];
  if (!sameJson(object.spec.providerIDList ?? [], providerIDs)) {
    // Spec before status: the write raises the generation that the conditions name.
    return patched(object, [{ op: "add", path: "/spec/providerIDList", value: providerIDs }]);
  }
  const ready = complete
    ? condition("Ready", "True", "Ready")
    : condition("Ready", "False", "NotReady", progressOf(running.length, wanted, provisioned));
  return {
    apply: {
      ...statusOf(object, [paused, ready], now),
      "status.ready": provisioned,
      "status.initialization.provisioned": provisioned,
      "status.replicas": providerIDs.length,
    },
    result: complete ? done : waitFor("SimInstance.status.phase"),
  };
}

/** Counts only after the first time: a pool of fifty that boots shall not write its status fifty times. */
function progressOf(running: number, wanted: number, provisioned: boolean): string {
  return provisioned ? `${running} of ${wanted} instances run` : `Waiting for ${wanted} instances to run`;
}

/** Decides again on live reads: an instance that was wanted is gone for good. */
async function scaleDown(
  object: SimMachinePool,
  pool: MachinePool,
  { read }: StepContext,
): Promise<Decision<SimMachinePool, Owned>> {
  const { namespace = "" } = object.metadata;
  const [livePool, liveCluster, instances] = await Promise.all([
    read.live.get(MachinePool, objectKeyOf(pool)),
    read.live.get(Cluster, { namespace, name: pool.spec.clusterName }),
    liveInstances(object, read.live),
  ]);
  const wanted = livePool?.metadata.uid === pool.metadata.uid ? livePool?.spec.replicas : undefined;
  if (wanted === undefined) return { result: waitFor("MachinePool.spec.replicas") };
  if (isPaused(liveCluster, object)) return { result: waitFor("Cluster.spec.paused") };
  const surplus = surplusInstances(object, Math.max(0, wanted), instances);
  return { delete: surplus.map((instance) => refTo(SimInstance, instance)), result: done };
}

/** Instances first, then the finalizer; their Nodes go with them. */
async function takeApart(
  object: SimMachinePool,
  cluster: Cluster | undefined,
  { read }: StepContext,
): Promise<Decision<SimMachinePool, Owned>> {
  if (!hasFinalizer(object, FINALIZER)) return { result: done };
  const liveCluster = cluster === undefined ? undefined : await read.live.get(Cluster, objectKeyOf(cluster));
  if (isPaused(liveCluster, object)) return { result: waitFor("Cluster.spec.paused") };
  const instances = await liveInstances(object, read.live);
  if (instances.length === 0) return patched(object, removeFinalizerPatch(object, FINALIZER));
  const due = instances.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return {
    delete: due.map((instance) => refTo(SimInstance, instance)),
    result: waitFor("SimInstance deleted"),
  };
}

async function liveInstances(
  object: SimMachinePool,
  live: StepContext["read"]["live"],
): Promise<readonly SimInstance[]> {
  const labelSelector = Object.entries(instanceLabels(object))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const found = await live.list(SimInstance, { namespace: object.metadata.namespace, labelSelector });
  return found.filter((instance) => isOwnedBy(instance, object.metadata.uid));
}

/** What the status says already, with these conditions. */
function statusOf(
  { status = {}, metadata }: SimMachinePool,
  desired: readonly DesiredCondition[],
  now: Date,
): NonNullable<Decision<SimMachinePool, Owned>["apply"]> {
  return {
    "status.ready": status.ready,
    "status.replicas": status.replicas,
    "status.initialization.provisioned": status.initialization?.provisioned,
    "status.conditions": setConditions(status.conditions, desired, now, metadata.generation),
  };
}

function patched(
  object: SimMachinePool,
  operations: readonly PatchOperation[],
): Decision<SimMachinePool, Owned> {
  return { patch: [{ target: refTo(SimMachinePool, object), operations }], result: done };
}

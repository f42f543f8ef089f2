import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../../shared/api/indexes.ts";
import { refTo } from "../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
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
import { itself, ownedBy, owners, siblings } from "../../../../shared/function/mappings.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";
import {
  condition,
  type DesiredCondition,
  setConditions,
} from "../../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../../shared/rules/conditions/paused-condition.ts";
import { CLUSTER_LABEL_FIELDS, readClusterByLabel } from "../../../../shared/rules/metadata/cluster-label.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../../shared/rules/metadata/finalizers.ts";
import { controllerReference, isOwnedBy } from "../../../../shared/rules/metadata/owner-references.ts";
import { OWNER_FIELDS, readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { SimServer } from "../../api/sim-cloud.ts";
import { SimCluster } from "../../api/sim-cluster.ts";
import { SimControlPlane } from "../../api/sim-controlplane.ts";
import { SimControlPlaneLegacy } from "../../api/sim-controlplane-legacy.ts";
import { hasEndpoint } from "./rules/control-plane-view.ts";
import { ADDRESS_FIELDS, ENDPOINT_FIELDS, newServer } from "./rules/server.ts";

const FINALIZER = "simcluster.infrastructure.sim.capstan.dev";

/** Source: IC-20 */
const MANAGED_BY = "cluster.x-k8s.io/managed-by";
const MANAGED_BY_FIELD = `metadata.annotations[${MANAGED_BY}]` as const;

const OWNED = [
  "status.initialization.provisioned",
  "status.ready",
  "status.failureDomains",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

/** The field of a control plane that says whether its instances are Machines. */
const MACHINES_FIELDS = ["spec.machineTemplate"] as const;

export const simCluster = defineFunction<SimCluster, Owned>(
  {
    name: "sim-cluster",
    summary: "Orders the virtual workload API server of a Cluster and publishes its endpoint.",
    source: "own",
    reconciles: SimCluster,
    watches: [
      watch(
        SimCluster,
        ["metadata.uid", ...OWNER_FIELDS, ...HOLD_FIELDS, ...CLUSTER_LABEL_FIELDS, MANAGED_BY_FIELD, "spec"],
        itself,
      ),
      watch(Cluster, [...PAUSING_FIELDS, ...ENDPOINT_FIELDS], ownedBy),
      watch(SimServer, ["metadata.uid", ...ADDRESS_FIELDS], owners),
      watch(SimControlPlane, MACHINES_FIELDS, siblings),
      watch(SimControlPlaneLegacy, MACHINES_FIELDS, siblings),
    ],
    blocks: [SimCluster],
    reads: [{ on: Cluster, fields: ["spec.controlPlaneRef"] }],
    owns: OWNED,
    ownsOn: [{ kind: SimCluster, fields: ["metadata.finalizers", ...ENDPOINT_FIELDS] }],
    calls: [
      { verb: "create", kind: SimServer },
      { verb: "delete", kind: SimServer },
    ],
  },
  async (object, context) => {
    const { read, now } = context;
    if (isManagedElsewhere(object)) return { result: done };
    const cluster = await readOwner(Cluster, object, read);
    const paused = pausedCondition(cluster, object, "SimCluster");
    if (isPaused(cluster, object)) return { apply: statusOf(object, [paused], now), result: done };
    if (object.metadata.deletionTimestamp !== undefined) return deleteServers(object, context);
    if (cluster === undefined) return { result: waitFor("SimCluster.metadata.ownerReferences") };
    if (!hasFinalizer(object, FINALIZER)) return patched(object, addFinalizerPatch(object, FINALIZER));

    const ready = condition("Ready", "True", "Ready");
    if (object.spec.endpointMode === "external" && !hasEndpoint(cluster)) {
      const message = "The Cluster has no spec.controlPlaneEndpoint yet";
      const waiting = condition("Ready", "False", "NotReady", message);
      return {
        apply: statusOf(object, [paused, waiting], now),
        result: waitFor("Cluster.spec.controlPlaneEndpoint"),
      };
    }
    if (object.spec.endpointMode === "external") {
      return { apply: statusOf(object, [paused, ready], now, true), result: done };
    }
    const { namespace = "", name } = cluster.metadata;
    const server = await read.get(SimServer, { namespace, name });
    const { host, port } = server?.status ?? {};
    if (host === undefined || port === undefined) {
      const waiting = condition("Ready", "False", "NotReady", `SimServer ${name} has no address yet`);
      const owner = controllerReference(SimCluster, object);
      const order = async () =>
        newServer(owner, cluster, { onMachines: await runsOnMachines(cluster, read), now });
      return {
        create: server === undefined ? [await order()] : [],
        apply: statusOf(object, [paused, waiting], now),
        result: waitFor("SimServer.status.host"),
      };
    }
    const known = object.spec.controlPlaneEndpoint;
    if (known?.host !== host || known.port !== port) {
      // Spec before status: the write raises the generation that the conditions name.
      return patched(object, [{ op: "add", path: "/spec/controlPlaneEndpoint", value: { host, port } }]);
    }
    return { apply: statusOf(object, [paused, ready], now, true), result: done };
  },
);

/** Another system reports on it, and this provider writes nothing. Its own finalizer it takes away. */
function isManagedElsewhere({ metadata }: SimCluster): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, MANAGED_BY) && metadata.deletionTimestamp === undefined;
}

/** Returns the status; once provisioned it stays so: Cluster API treats the flag as a latch. */
function statusOf(
  { status, spec, metadata }: SimCluster,
  desired: readonly DesiredCondition[],
  now: Date,
  provisioned = status?.initialization?.provisioned,
): NonNullable<Decision<SimCluster, Owned>["apply"]> {
  const { failureDomains = [] } = (provisioned === true ? spec : status) ?? {};
  return {
    "status.initialization.provisioned": provisioned,
    "status.ready": provisioned,
    "status.failureDomains": failureDomains.length > 0 ? failureDomains : undefined,
    "status.conditions": setConditions(status?.conditions, desired, now, metadata.generation),
  };
}

/**
 * Whether Machines are the control plane, as far as that is known: a control plane object may come later, and says so
 * then. One of another provider has no instances in this cloud, so the server waits for none.
 */
async function runsOnMachines({ spec, metadata }: Cluster, read: StepContext["read"]): Promise<boolean> {
  const { controlPlaneRef } = spec;
  if (controlPlaneRef === undefined) return true;
  const { apiGroup, kind, name } = controlPlaneRef;
  const known = [SimControlPlane, SimControlPlaneLegacy].find(
    (candidate) => candidate.group === apiGroup && candidate.kind === kind,
  );
  if (known === undefined) return false;
  const object = await read.get<SimControlPlane | SimControlPlaneLegacy>(known, {
    namespace: metadata.namespace ?? "",
    name,
  });
  return object === undefined || object.spec.machineTemplate !== undefined;
}

/** The server goes first: when the SimCluster is gone, its address is dead. */
async function deleteServers(
  object: SimCluster,
  { read }: StepContext,
): Promise<Decision<SimCluster, Owned>> {
  if (!hasFinalizer(object, FINALIZER)) return { result: done };
  const pause = pausedBy(await readClusterByLabel(read.live, object), object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const { namespace, labels } = object.metadata;
  const clusterName = labels?.[CLUSTER_NAME_LABEL];
  const labelSelector = clusterName === undefined ? undefined : `${CLUSTER_NAME_LABEL}=${clusterName}`;
  const servers = await read.live.list(SimServer, { namespace, labelSelector });
  const own = servers.filter((server) => isOwnedBy(server, object.metadata.uid));
  if (own.length === 0) return patched(object, removeFinalizerPatch(object, FINALIZER));
  const due = own.filter((server) => server.metadata.deletionTimestamp === undefined);
  return {
    delete: due.map((server) => ({ target: refTo(SimServer, server) })),
    result: waitFor("SimServer deleted"),
  };
}

function patched(object: SimCluster, operations: readonly PatchOperation[]): Decision<SimCluster, Owned> {
  return { patch: [{ target: refTo(SimCluster, object), operations }], result: done };
}

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { SimServer } from "../../shared/api/sim/sim-cloud.ts";
import { SimControlPlane } from "../../shared/api/sim/sim-controlplane.ts";
import { type Decision, defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself, ownedBy } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { condition, type DesiredCondition, setConditions } from "../../shared/rules/conditions/conditions.ts";
import { PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { isPaused, PAUSE_FIELDS, pausedCondition } from "../../shared/rules/metadata/paused.ts";
import { OWNER_FIELDS, readOwner } from "../../shared/rules/metadata/read-owner.ts";

const OWNED = [
  "status.initialization.controlPlaneInitialized",
  "status.selector",
  "status.replicas",
  "status.readyReplicas",
  "status.availableReplicas",
  "status.upToDateReplicas",
  "status.versions",
  "status.version",
  "status.externalManagedControlPlane",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

export const simControlplane = defineFunction<SimControlPlane, Owned>(
  {
    name: "sim-controlplane",
    summary: "Reports the virtual workload API server of a Cluster as its control plane.",
    source: "CL-9, PC-5",
    reconciles: SimControlPlane,
    watches: [
      watch(
        SimControlPlane,
        ["metadata.uid", ...OWNER_FIELDS, ...PAUSE_FIELDS, "spec.replicas", "spec.version"],
        itself,
      ),
      watch(Cluster, [...PAUSING_FIELDS, "status.initialization.infrastructureProvisioned"], ownedBy),
      // A SimServer has the name of its Cluster.
      watch(
        SimServer,
        ["metadata.uid", "spec.onMachines", "status.ready", "status.kubeconfigSecretName"],
        inCluster,
      ),
    ],
    reads: [{ on: SimControlPlane, fields: ["spec.machineTemplate"] }],
    owns: OWNED,
    ownsOn: [{ kind: SimServer, fields: ["spec.onMachines"] }],
  },
  async (object, { read, now }) => {
    const cluster = await readOwner(Cluster, object, read);
    if (cluster === undefined) return { result: waitFor("SimControlPlane.metadata.ownerReferences") };
    const { namespace = "", name } = cluster.metadata;
    const paused = pausedCondition(cluster, object, "SimControlPlane");
    if (isPaused(cluster, object)) {
      const { selector, externalManagedControlPlane } = object.status ?? {};
      return {
        apply: {
          ...statusOf(object, name, [paused], now),
          "status.selector": selector,
          "status.externalManagedControlPlane": externalManagedControlPlane,
        },
        result: done,
      };
    }
    if (cluster.status?.initialization?.infrastructureProvisioned !== true) {
      const message = "The infrastructure of the Cluster is not provisioned";
      const waiting = condition("Available", "False", "NotAvailable", message);
      return {
        apply: statusOf(object, name, [paused, waiting], now),
        result: waitFor("Cluster.status.initialization.infrastructureProvisioned"),
      };
    }

    const server = await read.get(SimServer, { namespace, name });
    if (server?.spec.onMachines === true && object.spec.machineTemplate === undefined) {
      // It was ordered before this object was seen.
      const operations = [{ op: "remove", path: "/spec/onMachines" }] as const;
      return { patch: [{ target: refTo(SimServer, server), operations }], result: done };
    }
    // Initialized includes the kubeconfig Secret: a client that sees the flag connects with it.
    if (server?.status?.ready !== true || server.status.kubeconfigSecretName === undefined) {
      const waiting = condition("Available", "False", "NotAvailable", `SimServer ${name} is not ready`);
      return {
        apply: { ...statusOf(object, name, [paused, waiting], now), ...counters(object, 0) },
        result: waitFor("SimServer.status.ready"),
      };
    }
    return {
      apply: {
        ...statusOf(object, name, [paused, condition("Available", "True", "Available")], now),
        ...counters(object, object.spec.replicas),
        "status.initialization.controlPlaneInitialized": true,
      },
      result: done,
    };
  },
);

/** Present status with these conditions. Initialized is never taken back. */
function statusOf(
  { status = {}, metadata }: SimControlPlane,
  clusterName: string,
  desired: readonly DesiredCondition[],
  now: Date,
): NonNullable<Decision<SimControlPlane, Owned>["apply"]> {
  return {
    "status.initialization.controlPlaneInitialized": status.initialization?.controlPlaneInitialized,
    "status.selector": `${CLUSTER_NAME_LABEL}=${clusterName},cluster.x-k8s.io/control-plane`,
    "status.replicas": status.replicas,
    "status.readyReplicas": status.readyReplicas,
    "status.availableReplicas": status.availableReplicas,
    "status.upToDateReplicas": status.upToDateReplicas,
    "status.versions": status.versions,
    "status.version": status.version,
    "status.externalManagedControlPlane": true,
    "status.conditions": setConditions(
      status.conditions as readonly Condition[] | undefined,
      desired,
      now,
      metadata.generation,
    ),
  };
}

/** One virtual server stands for all replicas: they are up together and follow every version at once. */
function counters({ spec }: SimControlPlane, up: number) {
  const versions =
    spec.version === undefined || up === 0 ? undefined : [{ version: spec.version, replicas: up }];
  return {
    "status.replicas": spec.replicas,
    "status.readyReplicas": up,
    "status.availableReplicas": up,
    "status.upToDateReplicas": up,
    "status.versions": versions,
    "status.version": versions?.[0]?.version,
  };
}

import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { KubeObject, OwnerReference } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineProviders } from "../../shared/rules/providers/machine-providers.ts";
import { cluster, found, infraMachine, merge, type Overrides, type ProviderObject } from "./builders.ts";

const CLUSTER_LABEL = { "cluster.x-k8s.io/cluster-name": "c1" };

/** Cluster `default/c1` whose control plane is initialized. */
export function startedCluster(overrides: Overrides<Cluster> = {}): Cluster {
  const initialized = {
    type: "ControlPlaneInitialized",
    status: "True",
    reason: "Initialized",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  } as const;
  const started = { initialization: { controlPlaneInitialized: true }, conditions: [initialized] };
  return merge<Cluster>(cluster({ status: started }), overrides);
}

/**
 * Stand-alone Machine `default/m1` of Cluster c1, 12 hours old at `NOW`: guarded, adopting and synced with the defaults of
 * `machineConfig` and `ownInfraMachine`, without status.
 */
export function soloMachine(overrides: Overrides<Machine> = {}): Machine {
  return merge<Machine>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: {
        name: "m1",
        namespace: "default",
        uid: "uid-m1",
        resourceVersion: "70",
        generation: 2,
        creationTimestamp: "2026-01-01T00:00:00Z",
        finalizers: ["machine.cluster.x-k8s.io"],
        labels: CLUSTER_LABEL,
        ownerReferences: [
          { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" },
        ],
      },
      spec: {
        clusterName: "c1",
        bootstrap: {
          configRef: { apiGroup: "bootstrap.cluster.x-k8s.io", kind: "FooConfig", name: "m1-config" },
          dataSecretName: "m1-data",
        },
        infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "FooMachine", name: "m1" },
        version: "v1.34.2",
        providerID: "foo://1",
        deletion: { nodeDeletionTimeoutSeconds: 10 },
      },
    },
    overrides,
  );
}

/** The reference by which Machine m1 controls its provider objects. */
export const OWNED_BY_M1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  name: "m1",
  uid: "uid-m1",
  controller: true,
  blockOwnerDeletion: true,
};

/** Config of Machine m1, adopted and ready with Secret m1-data. */
export function machineConfig(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "bootstrap.cluster.x-k8s.io/v1",
      kind: "FooConfig",
      metadata: {
        name: "m1-config",
        namespace: "default",
        uid: "uid-m1-config",
        resourceVersion: "30",
        labels: CLUSTER_LABEL,
        ownerReferences: [OWNED_BY_M1],
      },
      status: { initialization: { dataSecretCreated: true }, dataSecretName: "m1-data" },
    },
    overrides,
  );
}

/** Infrastructure machine of Machine m1, adopted and provisioned with provider ID foo://1. */
export function ownInfraMachine(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  const owned = infraMachine("m1", {
    metadata: { labels: CLUSTER_LABEL, ownerReferences: [OWNED_BY_M1] },
    status: { initialization: { provisioned: true } },
  });
  return merge<ProviderObject>(owned, overrides);
}

/** Reads of both objects. */
export function ready(
  bootstrap: KubeObject = machineConfig(),
  infrastructure: KubeObject = ownInfraMachine(),
): MachineProviders {
  return { bootstrap: found(bootstrap), infrastructure: found(infrastructure) };
}

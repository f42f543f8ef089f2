import { type ClusterFacts, type ClusterView, clusterView } from "../../functions/cluster/rules/view.ts";
import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { ContractVersion, OwnerReference } from "../../shared/api/kinds.ts";
import type { Referenced } from "../../shared/contract/referenced.ts";
import { cluster, connection, merge, type Overrides, type ProviderObject } from "./builders.ts";
import { NOW } from "./world.ts";

/** The reference by which Cluster c1 owns its provider objects. */
export const OWNED_BY_C1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Cluster",
  name: "c1",
  uid: "uid-c1",
};

/** A controller that is not ours. */
export const FOREIGN_CONTROLLER: OwnerReference = {
  apiVersion: "example.com/v1",
  kind: "Composition",
  name: "stack",
  uid: "uid-stack",
  controller: true,
};

/** Cluster c1 a second after its creation (at `NOW`): guarded, without endpoint and status. */
export function newCluster(overrides: Overrides<Cluster> = {}): Cluster {
  const young = cluster({
    metadata: { creationTimestamp: "2026-01-01T11:59:59Z" },
    spec: { controlPlaneEndpoint: undefined },
    status: undefined,
  });
  return merge<Cluster>(young, overrides);
}

/** Cluster c1 that is being deleted. */
export function deletedCluster(overrides: Overrides<Cluster> = {}): Cluster {
  return merge<Cluster>(cluster({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } }), overrides);
}

/** Infra object of Cluster c1, adopted, provisioned, with an endpoint. */
export function fooCluster(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1",
      kind: "FooCluster",
      metadata: {
        name: "c1-infra",
        namespace: "default",
        uid: "uid-c1-infra",
        resourceVersion: "60",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_C1],
      },
      spec: { controlPlaneEndpoint: { host: "c1.example.com", port: 6443 } },
      status: { initialization: { provisioned: true } },
    },
    overrides,
  );
}

/** Control plane object of Cluster c1, adopted and initialized, without endpoint of its own. */
export function fooControlPlane(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "controlplane.cluster.x-k8s.io/v1",
      kind: "FooControlPlane",
      metadata: {
        name: "c1-control-plane",
        namespace: "default",
        uid: "uid-c1-control-plane",
        resourceVersion: "70",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_C1],
      },
      spec: { replicas: 3 },
      status: { initialization: { controlPlaneInitialized: true } },
    },
    overrides,
  );
}

export function found(object: ProviderObject, contract: ContractVersion = "v1beta2"): Referenced {
  return { state: "found", object, contract, kind: kindOf(object.kind) };
}

export function missing(kind: string): Referenced {
  return { state: "missing", contract: "v1beta2", kind: kindOf(kind) };
}

/** A CRD without contract label, or none at all. */
export function unresolved(crdExists = true): Referenced {
  return { state: "unresolved", crdExists, message: "CustomResourceDefinition of FooCluster has no label" };
}

function kindOf(kind: string) {
  return { group: "foo", version: "v1", kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

/** Topology of a ClusterClass, as far as a Cluster needs it here. */
export const TOPOLOGY = { classRef: { name: "class" }, version: "v1.34.2" };

/** The view of a Cluster that is up, with the facts that a case changes. */
export function viewWith(changes: Partial<ClusterFacts> = {}): ClusterView {
  return clusterView({
    cluster: cluster(),
    providers: { infrastructure: found(fooCluster()), controlPlane: found(fooControlPlane()) },
    workers: [],
    machines: { controlPlane: [], workers: [] },
    connection: connection(),
    topologyRuns: false,
    deletion: undefined,
    now: NOW,
    ...changes,
  });
}

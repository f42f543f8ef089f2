import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import type { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import {
  type ContractVersion,
  groupOf,
  type Kind,
  type KubeObject,
  type OwnerReference,
} from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../shared/api/machinepool.ts";
import type { Referenced } from "../../shared/contract/referenced.ts";

/** Any part of `T`; a member that is `undefined` is left out of the object, lists are replaced as a whole. */
export type Overrides<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Overrides<T[K]> | undefined }
    : T;

/** A provider object: its fields are known to its contract only. */
export interface ProviderObject extends KubeObject {
  readonly spec?: { readonly [field: string]: unknown } | undefined;
  readonly status?: { readonly [field: string]: unknown } | undefined;
}

export function merge<T>(defaults: T, overrides: Overrides<T> | undefined): T {
  if (!isPlain(defaults) || !isPlain(overrides)) return overrides as T;
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(overrides)) {
    if (value === undefined) delete merged[key];
    else merged[key] = Object.hasOwn(defaults, key) ? merge(merged[key], value) : value;
  }
  return merged as T;
}

function isPlain(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const CREATED_AT = "2026-01-01T00:00:00Z";

/** Cluster `default/c1`: provisioned, not paused. */
export function cluster(overrides: Overrides<Cluster> = {}): Cluster {
  return merge<Cluster>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Cluster",
      metadata: {
        name: "c1",
        namespace: "default",
        uid: "uid-c1",
        resourceVersion: "10",
        generation: 1,
        creationTimestamp: CREATED_AT,
        finalizers: ["cluster.cluster.x-k8s.io"],
      },
      spec: {
        controlPlaneEndpoint: { host: "c1.example.com", port: 6443 },
        infrastructureRef: {
          apiGroup: "infrastructure.cluster.x-k8s.io",
          kind: "FooCluster",
          name: "c1-infra",
        },
        controlPlaneRef: {
          apiGroup: "controlplane.cluster.x-k8s.io",
          kind: "FooControlPlane",
          name: "c1-control-plane",
        },
      },
      status: { initialization: { infrastructureProvisioned: true } },
    },
    overrides,
  );
}

/**
 * MachinePool `default/p1` of Cluster c1, 12 hours old at `NOW`: guarded, adopting and synced with the defaults of
 * `bootstrapConfig` and `infraMachinePool`, without status.
 */
export function machinePool(overrides: Overrides<MachinePool> = {}): MachinePool {
  return merge<MachinePool>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "MachinePool",
      metadata: {
        name: "p1",
        namespace: "default",
        uid: "uid-p1",
        resourceVersion: "20",
        generation: 2,
        creationTimestamp: CREATED_AT,
        finalizers: ["machinepool.cluster.x-k8s.io"],
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [
          { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" },
        ],
      },
      spec: {
        clusterName: "c1",
        replicas: 3,
        providerIDList: ["foo://1", "foo://2", "foo://3"],
        template: {
          spec: {
            clusterName: "c1",
            bootstrap: {
              configRef: {
                apiGroup: "bootstrap.cluster.x-k8s.io",
                kind: "FooConfig",
                name: "p1-config",
              },
              dataSecretName: "p1-data",
            },
            infrastructureRef: {
              apiGroup: "infrastructure.cluster.x-k8s.io",
              kind: "FooMachinePool",
              name: "p1-infra",
            },
            deletion: { nodeDeletionTimeoutSeconds: 10 },
          },
        },
      },
    },
    overrides,
  );
}

/** The reference by which pool p1 controls its provider objects. */
export const OWNED_BY_P1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  name: "p1",
  uid: "uid-p1",
  controller: true,
  blockOwnerDeletion: true,
};

/** Bootstrap object of pool p1, adopted and ready with Secret p1-data. */
export function bootstrapConfig(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "bootstrap.cluster.x-k8s.io/v1",
      kind: "FooConfig",
      metadata: {
        name: "p1-config",
        namespace: "default",
        uid: "uid-p1-config",
        resourceVersion: "30",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_P1],
      },
      status: { initialization: { dataSecretCreated: true }, dataSecretName: "p1-data" },
    },
    overrides,
  );
}

/** Infrastructure object of pool p1, adopted and ready with three instances. */
export function infraMachinePool(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1",
      kind: "FooMachinePool",
      metadata: {
        name: "p1-infra",
        namespace: "default",
        uid: "uid-p1-infra",
        resourceVersion: "40",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_P1],
      },
      spec: { providerIDList: ["foo://1", "foo://2", "foo://3"] },
      status: { ready: true, replicas: 3 },
    },
    overrides,
  );
}

const POOL_LABELS = { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/pool-name": "p1" };

/** Infrastructure machine of pool p1 as its provider makes it; `m1` has provider ID foo://1. */
export function infraMachine(name = "m1", overrides: Overrides<ProviderObject> = {}): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1",
      kind: "FooMachine",
      metadata: {
        name,
        namespace: "default",
        uid: `uid-infra-${name}`,
        resourceVersion: "60",
        labels: POOL_LABELS,
      },
      spec: { providerID: `foo://${name.at(-1)}` },
    },
    overrides,
  );
}

/** Machine of pool p1 for the infrastructure machine of the same name, complete and up to date. */
export function machine(name = "m1", overrides: Overrides<Machine> = {}): Machine {
  return merge<Machine>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: {
        name,
        namespace: "default",
        uid: `uid-${name}`,
        resourceVersion: "70",
        generation: 1,
        creationTimestamp: CREATED_AT,
        labels: POOL_LABELS,
        ownerReferences: [OWNED_BY_P1],
      },
      spec: {
        clusterName: "c1",
        bootstrap: { dataSecretName: "" },
        infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "FooMachine", name },
        version: "v1.34.2",
      },
      status: { conditions: [machineCondition("UpToDate", "True", "UpToDate")] },
    },
    overrides,
  );
}

/** A condition of generation 1, unchanged since the creation. */
export function machineCondition(
  type: string,
  status: "True" | "False" | "Unknown",
  reason: string,
  message = "",
): Condition {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: CREATED_AT };
}

/** Node `n1` with provider ID foo://1, Ready for an hour at `NOW`; other names get their last character's ID. */
export function node(name = "n1", overrides: Overrides<Node> = {}): Node {
  return merge<Node>(
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, uid: `uid-${name}`, resourceVersion: "50" },
      spec: { providerID: `foo://${name.at(-1)}` },
      status: {
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:00:00Z" }],
        nodeInfo: { kubeletVersion: "v1.34.2" },
      },
    },
    overrides,
  );
}

/** A complete, live connection to the workload cluster of `default/c1`. */
export function connection(overrides: Overrides<Connection> = {}): Connection {
  return merge<Connection>(
    {
      apiVersion: "capstan.dev/v1",
      kind: "Connection",
      metadata: { name: "c1", namespace: "default", uid: "uid-connection-c1", resourceVersion: "1" },
      status: { state: "connected", nodesComplete: true, failures: 0 },
    },
    overrides,
  );
}

/** CRD of a provider kind, as the read model keeps it, under contract v1beta2 with version v1. */
export function crd(
  group: string,
  kind: string,
  overrides: Overrides<CustomResourceDefinition> = {},
): CustomResourceDefinition {
  const plural = `${kind.toLowerCase()}s`;
  return merge<CustomResourceDefinition>(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: `${plural}.${group}`,
        uid: `uid-crd-${plural}`,
        resourceVersion: "5",
        labels: { "cluster.x-k8s.io/v1beta2": "v1" },
      },
      spec: {
        group,
        names: { kind, plural },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true }],
      },
      status: { watched: true },
    },
    overrides,
  );
}

/** CRDs of the provider kinds that the builders use; `given` adds them. */
export const FOO_CRDS: readonly CustomResourceDefinition[] = [
  crd("bootstrap.cluster.x-k8s.io", "FooConfig"),
  crd("infrastructure.cluster.x-k8s.io", "FooMachinePool"),
  crd("infrastructure.cluster.x-k8s.io", "FooMachine"),
  crd("infrastructure.cluster.x-k8s.io", "FooCluster"),
  crd("controlplane.cluster.x-k8s.io", "FooControlPlane"),
];

function kindOf({ apiVersion, kind }: KubeObject): Kind {
  const [version = ""] = apiVersion.split("/").reverse();
  return { group: groupOf(apiVersion), version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

/** A read of a reference that gave this object. */
export function found(
  object: KubeObject,
  contract: ContractVersion = "v1beta2",
): Extract<Referenced, { state: "found" }> {
  return { state: "found", object, contract, kind: kindOf(object) };
}

/** A read of a reference to this object that was answered by 404. */
export function missing(object: KubeObject): Extract<Referenced, { state: "missing" }> {
  return { state: "missing", contract: "v1beta2", kind: kindOf(object) };
}

/** A read of a reference whose CRD does not exist, or claims no supported contract. */
export function unresolved(crdExists: boolean): Extract<Referenced, { state: "unresolved" }> {
  return { state: "unresolved", crdExists, message: "CRD of Foo cannot be used" };
}

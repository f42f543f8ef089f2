import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition, Node, Secret } from "../../shared/api/core.ts";
import { apiVersionOf, type Kind, type KubeObject } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { valueAt } from "../../shared/api/path.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { until } from "./until.ts";

/**
 * A world in which everything but Capstan has done its work: provider CRDs, one provisioned Cluster whose workload
 * API server is the management one, and per pool a bootstrap object, an infrastructure object and Nodes, all ready.
 */

const PROVIDER = "bench.capstan.dev";
const CLUSTER = "bench";

/** Kind of the bench's provider. */
export function providerKind(kind: string, plural: string): Kind {
  return { group: PROVIDER, version: "v1", kind, plural, namespaced: true };
}
const BenchCluster = providerKind("BenchCluster", "benchclusters");
const BenchControlPlane = providerKind("BenchControlPlane", "benchcontrolplanes");
export const BenchConfig = providerKind("BenchConfig", "benchconfigs");
const BenchMachinePool = providerKind("BenchMachinePool", "benchmachinepools");

export async function prepareCluster(client: KubeClient, kubeconfig: string): Promise<void> {
  await prepareProviders(client);
  await createCluster(client, CLUSTER, kubeconfig);
}

/** The provider's CRDs, served. */
export async function prepareProviders(client: KubeClient, further: readonly Kind[] = []): Promise<void> {
  const kinds = [BenchCluster, BenchControlPlane, BenchConfig, BenchMachinePool, ...further];
  await Promise.all(kinds.map((kind) => client.create(CustomResourceDefinition, definitionOf(kind))));
  await until(async () => {
    const { items } = await client.list(CustomResourceDefinition, {});
    const served = items.filter((crd) => valueAt(crd, "status.conditions[Established].status") === "True");
    return kinds.every(({ kind }) => served.some(({ spec }) => spec.names.kind === kind));
  });
}

/** A Cluster whose provider has done its part, and the way to its workload API server. */
export async function createCluster(client: KubeClient, name: string, kubeconfig: string): Promise<void> {
  await createReady(client, BenchCluster, {
    name,
    spec: { controlPlaneEndpoint: { host: "127.0.0.1", port: 6443 } },
    status: { initialization: { provisioned: true } },
  });
  await createReady(client, BenchControlPlane, {
    name,
    spec: {},
    // Without control plane Machines the Nodes of workers are drained only where this says that there are none.
    status: { initialization: { controlPlaneInitialized: true }, externalManagedControlPlane: true },
  });
  await client.create(Secret, {
    ...objectOf(Secret, `${name}-kubeconfig`),
    metadata: {
      name: `${name}-kubeconfig`,
      namespace: "default",
      labels: { "cluster.x-k8s.io/cluster-name": name },
    },
    type: "cluster.x-k8s.io/secret",
    data: { value: Buffer.from(kubeconfig).toString("base64") },
  });
  await client.create(Cluster, {
    ...objectOf(Cluster, name),
    spec: {
      infrastructureRef: refTo(BenchCluster, name),
      controlPlaneRef: refTo(BenchControlPlane, name),
    },
  });
}

/** The provider's part of one pool. */
export async function preparePool(client: KubeClient, name: string, replicas: number): Promise<void> {
  const ids = nodeNames(name, replicas);
  await Promise.all([
    prepareProvider(client, name, replicas),
    sideBySide(ids, (id) => createReadyNode(client, id)),
  ]);
}

/** Names of the Nodes of a pool. */
export function nodeNames(pool: string, replicas: number): readonly string[] {
  return Array.from({ length: replicas }, (_, index) => `${pool}-${index}`);
}

/** Bootstrap and infrastructure object of one pool, ready. */
export async function prepareProvider(client: KubeClient, name: string, replicas: number): Promise<void> {
  const ids = nodeNames(name, replicas);
  await Promise.all([
    createReady(client, BenchConfig, {
      name,
      spec: {},
      status: { initialization: { dataSecretCreated: true }, dataSecretName: `${name}-data` },
    }),
    createReady(client, BenchMachinePool, {
      name,
      spec: { providerIDList: ids.map((id) => `bench://${id}`) },
      status: { ready: true, replicas, initialization: { provisioned: true } },
    }),
  ]);
}

/** The provider and the user want fewer: the list of the provider is shorter now. */
export async function shrinkPool(client: KubeClient, name: string, replicas: number): Promise<void> {
  const key = { namespace: "default", name };
  const list = nodeNames(name, replicas).map((id) => `bench://${id}`);
  const replaced = (path: string, value: unknown) => [{ op: "replace", path, value }] as const;
  await client.jsonPatch(MachinePool as Kind, key, replaced("/spec/replicas", replicas));
  await client.jsonPatch(BenchMachinePool, key, replaced("/spec/providerIDList", list));
  await client.jsonPatch(BenchMachinePool, key, replaced("/status/replicas", replicas), "status");
}

export function createPool(
  client: KubeClient,
  name: string,
  replicas: number,
  cluster: string = CLUSTER,
): Promise<KubeObject> {
  return client.create(MachinePool, {
    ...objectOf(MachinePool, name),
    spec: {
      clusterName: cluster,
      replicas,
      template: {
        spec: {
          clusterName: cluster,
          bootstrap: { configRef: refTo(BenchConfig, name) },
          infrastructureRef: refTo(BenchMachinePool, name),
          deletion: { nodeDeletionTimeoutSeconds: 10 },
        },
      },
    },
  });
}

export async function createReady(
  client: KubeClient,
  kind: Kind,
  { name, spec, status }: { readonly name: string; readonly spec: object; readonly status: object },
): Promise<void> {
  await client.create(kind, { ...objectOf(kind, name), spec });
  await client.jsonPatch(
    kind,
    { namespace: "default", name },
    [{ op: "add", path: "/status", value: status }],
    "status",
  );
}

/** A Machine is Available once its Node has reported all of them. */
const CONDITIONS = [
  { type: "Ready", status: "True" },
  ...["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({ type, status: "False" })),
];

export async function createReadyNode(client: KubeClient, id: string): Promise<void> {
  await client.create(Node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: id },
    spec: {
      providerID: `bench://${id}`,
      taints: [{ key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" }],
    },
  });
  const conditions = CONDITIONS.map((one) => ({ ...one, lastTransitionTime: "2026-01-01T00:00:00Z" }));
  await client.jsonPatch(
    Node,
    { namespace: "", name: id },
    [{ op: "add", path: "/status/conditions", value: conditions }],
    "status",
  );
}

export function objectOf(kind: Kind, name: string): KubeObject {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, namespace: "default" } };
}

export function refTo(kind: Kind, name: string): { apiGroup: string; kind: string; name: string } {
  return { apiGroup: kind.group, kind: kind.kind, name };
}

function definitionOf({ group, version, kind, plural }: Kind): KubeObject & { readonly spec: object } {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels: { "cluster.x-k8s.io/v1beta2": version } },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

/** Works on all items, 16 at a time. */
export async function sideBySide<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  const queue = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

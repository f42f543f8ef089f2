import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { valueAt } from "../../shared/api/path.ts";
import { Pod } from "../../shared/api/workload.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import {
  BenchConfig,
  createCluster,
  createReady,
  createReadyNode,
  objectOf,
  prepareProviders,
  providerKind,
  refTo,
  sideBySide,
} from "./ready-pools.ts";
import { untilNone } from "./until.ts";

/** Machines whose providers have done their work before the Machine is created. */

export const BenchMachine: Kind = providerKind("BenchMachine", "benchmachines");
const BenchMachineTemplate: Kind = providerKind("BenchMachineTemplate", "benchmachinetemplates");
const BenchConfigTemplate: Kind = providerKind("BenchConfigTemplate", "benchconfigtemplates");

/** The provider's CRDs, and one provisioned Cluster per name whose workload API server is the management one. */
export async function prepareMachineClusters(
  client: KubeClient,
  clusters: readonly string[],
  kubeconfig: string,
): Promise<void> {
  await prepareProviders(client, [BenchMachine, BenchMachineTemplate, BenchConfigTemplate]);
  for (const cluster of clusters) await createCluster(client, cluster, kubeconfig);
}

/** The provider's part of one Machine: config, infrastructure machine and Node, ready. */
export async function prepareMachine(client: KubeClient, name: string): Promise<void> {
  await Promise.all([
    createReady(client, BenchConfig, {
      name,
      spec: {},
      status: { initialization: { dataSecretCreated: true }, dataSecretName: `${name}-data` },
    }),
    createReady(client, BenchMachine, {
      name,
      spec: { providerID: `bench://${name}` },
      status: {
        initialization: { provisioned: true },
        addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      },
    }),
    createReadyNode(client, name),
  ]);
}

export function createMachine(
  client: KubeClient,
  name: string,
  cluster: string,
  labels: { readonly [key: string]: string } = {},
): Promise<KubeObject> {
  return client.create(Machine, {
    ...objectOf(Machine, name),
    metadata: { name, namespace: "default", labels },
    spec: {
      clusterName: cluster,
      bootstrap: { configRef: refTo(BenchConfig, name) },
      infrastructureRef: refTo(BenchMachine, name),
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    },
  } as unknown as Machine);
}

/** A MachineSet and its templates. */
export async function createSet(
  client: KubeClient,
  name: string,
  cluster: string,
  replicas: number,
): Promise<void> {
  for (const kind of [BenchConfigTemplate, BenchMachineTemplate]) {
    await client.create(kind, { ...objectOf(kind, name), spec: { template: { spec: {} } } } as KubeObject);
  }
  const labels = { "bench.capstan.dev/set": name };
  await client.create(MachineSet, {
    ...objectOf(MachineSet as Kind, name),
    spec: {
      clusterName: cluster,
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          clusterName: cluster,
          bootstrap: { configRef: refTo(BenchConfigTemplate, name) },
          infrastructureRef: refTo(BenchMachineTemplate, name),
          deletion: { nodeDeletionTimeoutSeconds: 10 },
        },
      },
    },
  } as unknown as MachineSet);
}

/** A MachineDeployment without bootstrap configs, and its template. */
export async function createDeployment(
  client: KubeClient,
  name: string,
  cluster: string,
  { machines, maxSurge }: { readonly machines: number; readonly maxSurge: number },
): Promise<void> {
  const template = { ...objectOf(BenchMachineTemplate, name), spec: { template: { spec: {} } } };
  await client.create(BenchMachineTemplate, template as KubeObject);
  const labels = { "bench.capstan.dev/set": name };
  await client.create(MachineDeployment, {
    ...objectOf(MachineDeployment as Kind, name),
    spec: {
      clusterName: cluster,
      replicas: machines,
      rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 0 } } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          clusterName: cluster,
          version: "v1.34.2",
          bootstrap: { dataSecretName: `${name}-data` },
          infrastructureRef: refTo(BenchMachineTemplate, name),
          deletion: { nodeDeletionTimeoutSeconds: 10 },
        },
      },
    },
  } as unknown as MachineDeployment);
}

interface ProviderOptions {
  readonly hasConfigs?: boolean;
  readonly join?: (machine: KubeObject) => Promise<unknown>;
  /** Whether it takes care of an object; by default of all. */
  readonly answers?: (object: KubeObject) => boolean;
}

/**
 * Makes config, where there are any, and infrastructure machine of each Machine ready at once when both are there, and at
 * the same moment, until disposed: what a manager writes in between would depend on the load of the machine. `join` makes
 * the Node; by default in the management server.
 */
export function startProvider(
  client: KubeClient,
  {
    hasConfigs = true,
    join = (machine) => createReadyNode(client, machine.metadata.name),
    answers = () => true,
  }: ProviderOptions = {},
): Disposable {
  const abort = new AbortController();
  const seen = new Set<string>();
  const kinds = hasConfigs ? [BenchConfig, BenchMachine] : [BenchMachine];
  const created = (kind: Kind, object: KubeObject): void => {
    if (!answers(object)) return;
    const { name } = object.metadata;
    seen.add(`${kind.kind} ${name}`);
    if (!kinds.every((each) => seen.has(`${each.kind} ${name}`))) return;
    makeReady(client, object, { hasConfigs, join }).catch((error: unknown) =>
      console.error(`${name}: ${String(error)}`),
    );
  };
  for (const kind of kinds)
    untilAborted(client, kind, abort.signal, (object) => created(kind, object)).catch((error: unknown) => {
      if (!abort.signal.aborted) console.error(`the bench's provider ended: ${String(error)}`);
    });
  return { [Symbol.dispose]: () => abort.abort() };
}

async function makeReady(
  client: KubeClient,
  object: KubeObject,
  { hasConfigs, join }: Required<Pick<ProviderOptions, "hasConfigs" | "join">>,
): Promise<void> {
  const { name } = object.metadata;
  const key = { namespace: "default", name };
  const added = (path: string, value: unknown) => [{ op: "add", path, value }] as const;
  await Promise.all([
    join(object),
    client.jsonPatch(BenchMachine, key, added("/spec/providerID", `bench://${name}`)),
  ]);
  const data = { initialization: { dataSecretCreated: true }, dataSecretName: `${name}-data` };
  await Promise.all([
    hasConfigs ? client.jsonPatch(BenchConfig, key, added("/status", data), "status") : undefined,
    client.jsonPatch(
      BenchMachine,
      key,
      added("/status", { initialization: { provisioned: true } }),
      "status",
    ),
  ]);
}

/** Hands over each object of a kind once, when it is created. */
async function untilAborted(
  client: KubeClient,
  kind: Kind,
  signal: AbortSignal,
  created: (object: KubeObject) => void,
): Promise<void> {
  const handed = new Set<string>();
  const hand = (object: KubeObject): void => {
    const { uid = "" } = object.metadata;
    if (!handed.has(uid)) created(object);
    handed.add(uid);
  };
  while (!signal.aborted) {
    const { items, resourceVersion } = await client.list(kind, {});
    for (const item of items) hand(item);
    const watching = { resourceVersion, timeoutSeconds: 600 };
    try {
      for await (const { type, object } of client.watch(kind, watching, signal)) {
        if (type === "ADDED") hand(object);
      }
    } catch (error) {
      // The watch cache of a CRD that is new begins later than its first list.
      if (!(error instanceof KubeError && error.reason === "Expired")) throw error;
    }
  }
}

/** Pods of a Node that end at once when they are evicted: no kubelet is needed. */
export async function addPods(client: KubeClient, node: string, pods: number): Promise<void> {
  const names = Array.from({ length: pods }, (_, index) => `pod-${index}`);
  await sideBySide(names, (name) =>
    client.create(
      Pod as Kind,
      {
        ...objectOf(Pod as Kind, name),
        spec: {
          nodeName: node,
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "main", image: "example.org/main" }],
        },
      } as KubeObject,
    ),
  );
}

export function untilNoPods(client: KubeClient): Promise<void> {
  return untilNone(client, Pod as Kind);
}

export function isMachineRunning(machine: KubeObject): boolean {
  return valueAt(machine, "status.phase") === "Running";
}

/** Whether a Node has been marked as that of a Machine. */
export function isNodeMarked(node: KubeObject): boolean {
  return valueAt(node, "metadata.annotations[cluster.x-k8s.io/machine]") !== undefined;
}

import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
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
} from "./ready-pools.ts";

/** Machines whose providers have done their work before the Machine is created. */

export const BenchMachine: Kind = providerKind("BenchMachine", "benchmachines");

/** The provider's CRDs, and one provisioned Cluster per name whose workload API server is the management one. */
export async function prepareMachineClusters(
  client: KubeClient,
  clusters: readonly string[],
  kubeconfig: string,
): Promise<void> {
  await prepareProviders(client, [BenchMachine]);
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

export function createMachine(client: KubeClient, name: string, cluster: string): Promise<KubeObject> {
  return client.create(Machine, {
    ...objectOf(Machine, name),
    spec: {
      clusterName: cluster,
      bootstrap: { configRef: refTo(BenchConfig, name) },
      infrastructureRef: refTo(BenchMachine, name),
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    },
  } as unknown as Machine);
}

import { Buffer } from "node:buffer";
import { systemClock } from "../../infra/clock.ts";
import { createServer, type Server } from "../../infra/kube/client.ts";
import { parseKubeconfig } from "../../infra/kube/kubeconfig.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kubectl } from "./processes/kubectl.ts";

/** Everything about a Cluster that a move must not change. */
export interface Identity {
  /** `name uid providerID` of each Node. */
  readonly nodes: readonly string[];
  readonly endpoint: unknown;
  /** By name: data of each Secret of the Cluster. */
  readonly secrets: { readonly [name: string]: unknown };
  /** `name providerID node` of each Machine. */
  readonly machines: readonly string[];
  /** `name providerIDs nodeRefs` of each pool. */
  readonly pools: readonly string[];
}

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec?: { readonly providerID?: string; readonly providerIDList?: readonly string[] };
  readonly status?: { readonly nodeRef?: object; readonly nodeRefs?: readonly object[] };
  readonly data?: object;
}

async function list(kubectl: Kubectl, what: string): Promise<readonly Listed[]> {
  return (JSON.parse(await kubectl(`get ${what} -o json`)) as { items: readonly Listed[] }).items;
}

/** Opens the workload API server of a Cluster with its own kubeconfig. */
export async function openWorkload(kubectl: Kubectl, cluster: string): Promise<Server> {
  const encoded = await kubectl(`get secret ${cluster}-kubeconfig -o jsonpath={.data.value}`);
  return createServer(parseKubeconfig(Buffer.from(encoded, "base64").toString()), { clock: systemClock });
}

/** The objects of a Cluster as its management cluster and its own API server show them. */
export async function identityOf(kubectl: Kubectl, cluster: string, workload: Server): Promise<Identity> {
  const label = `-l cluster.x-k8s.io/cluster-name=${cluster}`;
  const [nodes, secrets, machines, pools, endpoint] = await Promise.all([
    workload.as("test").list(Node, {}),
    list(kubectl, `secrets ${label}`),
    list(kubectl, `machines ${label}`),
    list(kubectl, `machinepools ${label}`),
    kubectl(`get cluster ${cluster} -o jsonpath={.spec.controlPlaneEndpoint}`),
  ]);
  const line = (...parts: readonly unknown[]) => parts.map((part) => JSON.stringify(part)).join(" ");
  return {
    nodes: nodes.items
      .map(({ metadata, spec }) => line(metadata.name, metadata.uid, spec?.providerID))
      .sort(),
    endpoint: JSON.parse(endpoint),
    secrets: Object.fromEntries(secrets.map(({ metadata, data }) => [metadata.name, data])),
    machines: machines
      .map(({ metadata, spec, status }) => line(metadata.name, spec?.providerID, status?.nodeRef))
      .sort(),
    pools: pools
      .map(({ metadata, spec, status }) =>
        line(metadata.name, spec?.providerIDList?.toSorted(), status?.nodeRefs?.toSorted(byText)),
      )
      .sort(),
  };
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Asks a server again and again; disposing ends that, `gaps` are the times without an answer. */
export function watchAnswers(server: Server): AsyncDisposable & { readonly gaps: readonly string[] } {
  const gaps: string[] = [];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      await server
        .as("test")
        .list(Node, {})
        .catch((error: unknown) => gaps.push(String(error)));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    gaps,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await looking;
    },
  };
}

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

const LIMIT_MS = 60 * 60_000;

/** Asks every 50 ms, for at most two minutes. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not reached within two minutes");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Resolves once so many objects of a kind are as wanted, within an hour, with the first time at which each of them
 * was seen so, by name, in ms since 1970. It watches: repeated requests would load the API server that is measured. A
 * watch that a busy server ends is opened again.
 */
export async function untilAll(
  client: KubeClient,
  kind: Kind,
  count: number,
  isWanted: (object: KubeObject) => boolean,
): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map<string, number>();
  const isEnough = (objects: readonly KubeObject[]) => {
    for (const { metadata } of objects.filter(isWanted)) {
      if (!wanted.has(metadata.name)) wanted.set(metadata.name, Date.now());
    }
    return wanted.size >= count;
  };
  await follow(client, kind, isEnough, (object, isGone) => !isGone && isEnough([object]));
  return wanted;
}

/** Resolves once no object of a kind is left, within an hour. None may be created meanwhile. */
export async function untilNone(client: KubeClient, kind: Kind): Promise<void> {
  let left = 0;
  const listed = (objects: readonly KubeObject[]) => {
    left = objects.length;
    return left === 0;
  };
  await follow(client, kind, listed, (_, isGone) => isGone && --left === 0);
}

/** Hands over every list of a kind and every change, until either of the two says that it is enough. */
async function follow(
  client: KubeClient,
  kind: Kind,
  listed: (objects: readonly KubeObject[]) => boolean,
  changed: (object: KubeObject, isGone: boolean) => boolean,
): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; ) {
    const { items, resourceVersion } = await client.list(kind, {});
    if (listed(items)) return;
    const timeoutSeconds = Math.ceil((deadline - Date.now()) / 1_000);
    const watching = { resourceVersion, timeoutSeconds };
    for await (const { type, object } of client.watch(kind, watching, new AbortController().signal)) {
      if (type !== "BOOKMARK" && changed(object, type === "DELETED")) return;
    }
  }
  throw new Error(`${kind.plural} did not get there within an hour`);
}

/** The workload clusters of so many Clusters have been reached. */
export async function untilConnected(client: KubeClient, clusters = 1): Promise<void> {
  const condition = "status.conditions[RemoteConnectionProbe].status";
  await untilAll(client, Cluster as Kind, clusters, (cluster) => valueAt(cluster, condition) === "True");
}

export function isRunning(replicas: number): (pool: KubeObject) => boolean {
  return (pool) =>
    valueAt(pool, "status.phase") === "Running" && valueAt(pool, "status.readyReplicas") === replicas;
}

/** Whether a Node has been marked as that of a pool: the last thing that is done about it. */
export function isMarked(node: KubeObject): boolean {
  return valueAt(node, "metadata.annotations[cluster.x-k8s.io/owner-kind]") === "MachinePool";
}

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

/** Asks every 50 ms, for at most two minutes. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not reached within two minutes");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Resolves once so many objects of a kind are as wanted, within five minutes. It watches: repeated requests
 * would load the API server that is measured. A watch that a busy server ends is opened again.
 */
export async function untilAll(
  client: KubeClient,
  kind: Kind,
  count: number,
  isWanted: (object: KubeObject) => boolean,
): Promise<void> {
  const wanted = new Set<string>();
  for (const deadline = Date.now() + 300_000; Date.now() < deadline; ) {
    const { items, resourceVersion } = await client.list(kind, {});
    for (const { metadata } of items.filter(isWanted)) wanted.add(metadata.name);
    if (wanted.size >= count) return;
    const timeoutSeconds = Math.ceil((deadline - Date.now()) / 1_000);
    const watching = { resourceVersion, timeoutSeconds };
    for await (const { type, object } of client.watch(kind, watching, new AbortController().signal)) {
      if (type !== "BOOKMARK" && isWanted(object)) wanted.add(object.metadata.name);
      if (wanted.size >= count) return;
    }
  }
  throw new Error(`only ${wanted.size} of ${count} ${kind.plural} got there within five minutes`);
}

/** Capstan has reached the workload cluster of the only Cluster. */
export function untilConnected(client: KubeClient): Promise<void> {
  const condition = "status.conditions[RemoteConnectionProbe].status";
  return untilAll(client, Cluster as Kind, 1, (cluster) => valueAt(cluster, condition) === "True");
}

export function isRunning(replicas: number): (pool: KubeObject) => boolean {
  return (pool) =>
    valueAt(pool, "status.phase") === "Running" && valueAt(pool, "status.readyReplicas") === replicas;
}

/** Whether a Node has been marked as that of a pool: the last thing that is done about it. */
export function isMarked(node: KubeObject): boolean {
  return valueAt(node, "metadata.annotations[cluster.x-k8s.io/owner-kind]") === "MachinePool";
}

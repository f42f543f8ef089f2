import { setTimeout } from "node:timers/promises";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { Node } from "../../shared/api/core.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { nodeNames } from "./ready-pools.ts";
import { type Order, poolsOf, type Reply } from "./workload-servers.ts";

/** The process of workload-servers.ts: `SERVERS POOLS NODES`. */
const [servers = 0, pools = 0, nodes = 0] = process.argv.slice(2).map(Number);

interface Target {
  readonly client: KubeClient;
  readonly name: string;
}

/** Node by Node into a server of this process. */
const REQUESTS_PER_SECOND = 5_000;

const targets: Target[] = [];
const kubeconfigs: string[] = [];
for (let index = 0; index < servers; index += 1) {
  const server = await startApiServer({ name: `c${index}` });
  const rate = { requestsPerSecond: REQUESTS_PER_SECOND, burst: REQUESTS_PER_SECOND };
  const client = createServer(parseKubeconfig(server.kubeconfig()), { clock: systemClock, rate }).as("bench");
  const names = poolsOf(index, pools).flatMap((pool) => nodeNames(pool, nodes));
  await Promise.all(names.map((name) => client.create(Node, readyNode(name))));
  targets.push(...names.map((name) => ({ client, name })));
  kubeconfigs.push(server.kubeconfig());
}
tell({ kubeconfigs });

process.on("message", (order: Order) => {
  void beat(order.beat).then((beats) => tell({ beats }));
});

/** Heartbeat of a kubelet every few minutes: only the time is new. */
async function beat(spreadMs: number): Promise<number> {
  const batch = 50;
  for (let at = 0; at < targets.length; at += batch) {
    await Promise.all(targets.slice(at, at + batch).map(beatOne));
    await setTimeout(spreadMs / (targets.length / batch));
  }
  return targets.length;
}

async function beatOne({ client, name }: Target): Promise<void> {
  const value = conditionsAt(new Date());
  const patch = [{ op: "replace", path: "/status/conditions", value }] as const;
  await client.jsonPatch(Node, { namespace: "", name }, patch, "status");
}

function readyNode(name: string): Node {
  const status = { conditions: conditionsAt(new Date()), nodeInfo: { kubeletVersion: "v1.34.2" } };
  const taints = [{ key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" }];
  const spec = { providerID: `bench://${name}`, taints };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec, status };
}

function conditionsAt(at: Date) {
  const lastHeartbeatTime = at.toISOString().replace(/\.\d+/, "");
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const quiet = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
    type,
    status: "False",
    reason: `KubeletHasNo${type}`,
    message: `kubelet has no ${type}`,
    lastTransitionTime,
    lastHeartbeatTime,
  }));
  return [...quiet, { type: "Ready", status: "True", lastTransitionTime, lastHeartbeatTime }];
}

function tell(answer: Reply): void {
  process.send?.(answer);
}

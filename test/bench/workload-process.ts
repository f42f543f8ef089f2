import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { Node } from "../../shared/api/core.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { nodeNames } from "./ready-pools.ts";
import { type Numbered, type Order, poolsOf, type Reply, type Wanted } from "./workload-servers.ts";

/** The process of workload-servers.ts. */
const { servers, pools, nodes, tls = false, folder } = JSON.parse(process.argv[2] ?? "") as Wanted;

interface Workload {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** By name: whether the Node says that it is ready. */
  readonly nodes: Map<string, boolean>;
}

/** Node by Node into a server of this process. */
const REQUESTS_PER_SECOND = 5_000;

const workloads: Workload[] = [];
for (let index = 0; index < servers; index += 1) {
  const name = `c${index}`;
  const kept = folder === undefined ? {} : { data: join(folder, name) };
  const server = await startApiServer({ name, tls, ...kept });
  const rate = { requestsPerSecond: REQUESTS_PER_SECOND, burst: REQUESTS_PER_SECOND };
  const kubeconfig = server.kubeconfig();
  const client = createServer(parseKubeconfig(kubeconfig), { clock: systemClock, rate }).as("bench");
  const { items } = await client.list(Node, {});
  const known = items.map(({ metadata }) => metadata.name);
  const names = known.length > 0 ? known : poolsOf(index, pools).flatMap((pool) => nodeNames(pool, nodes));
  if (known.length === 0) await Promise.all(names.map((node) => client.create(Node, readyNode(node))));
  workloads.push({ kubeconfig, client, nodes: new Map(names.map((node) => [node, true])) });
}
tell({ kubeconfigs: workloads.map(({ kubeconfig }) => kubeconfig) });

process.on("message", (order: Numbered) => {
  carryOut(order).then(
    (changed) => tell({ id: order.id, changed }),
    (error: unknown) => tell({ id: order.id, problem: `${order.do}: ${String(error)}` }),
  );
});

async function carryOut(order: Order): Promise<number> {
  if (order.do === "beat") return beat(order.spreadMs);
  const workload = workloads[order.server];
  if (workload === undefined) throw new Error(`there is no server ${order.server}`);
  if (order.do === "join") {
    await workload.client.create(Node, readyNode(order.node));
    workload.nodes.set(order.node, true);
    return 1;
  }
  for (const name of order.nodes) workload.nodes.set(name, order.isReady);
  await Promise.all(order.nodes.map((name) => say(workload, name)));
  return order.nodes.length;
}

/** Heartbeat of a kubelet every few minutes: only the time is new. */
async function beat(spreadMs: number): Promise<number> {
  const targets = workloads.flatMap((workload) =>
    [...workload.nodes.keys()].map((name) => ({ workload, name })),
  );
  const batch = 50;
  for (let at = 0; at < targets.length; at += batch) {
    const some = targets.slice(at, at + batch);
    await Promise.all(some.map(({ workload, name }) => say(workload, name)));
    await setTimeout((spreadMs * some.length) / targets.length);
  }
  return targets.length;
}

/** A heartbeat under way must not undo what was ordered meanwhile. A Node that has gone has no kubelet, either. */
async function say(workload: Workload, name: string): Promise<void> {
  const { client, nodes: known } = workload;
  const isReady = known.get(name);
  const value = conditionsAt(new Date(), isReady === true);
  const patch = [{ op: "replace", path: "/status/conditions", value }] as const;
  try {
    await client.jsonPatch(Node, { namespace: "", name }, patch, "status");
  } catch (error) {
    if (!(error instanceof KubeError && error.reason === "NotFound")) throw error;
    known.delete(name);
    return;
  }
  if (known.get(name) !== isReady) await say(workload, name);
}

function readyNode(name: string): Node {
  const status = { conditions: conditionsAt(new Date(), true), nodeInfo: { kubeletVersion: "v1.34.2" } };
  const taints = [{ key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" }];
  const spec = { providerID: `bench://${name}`, taints };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec, status };
}

function conditionsAt(at: Date, isReady: boolean) {
  const lastHeartbeatTime = at.toISOString().replace(/\.\d+/, "");
  const lastTransitionTime = isReady ? "2026-01-01T00:00:00Z" : lastHeartbeatTime;
  const quiet = ["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => ({
    type,
    status: "False",
    reason: `KubeletHasNo${type}`,
    message: `kubelet has no ${type}`,
    lastTransitionTime,
    lastHeartbeatTime,
  }));
  const status = isReady ? "True" : "False";
  return [...quiet, { type: "Ready", status, lastTransitionTime, lastHeartbeatTime }];
}

function tell(answer: Reply): void {
  process.send?.(answer);
}

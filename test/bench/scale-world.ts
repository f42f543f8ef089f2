import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBullmqQueue } from "../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { createRedisStore } from "../../infra/queue/backends/redis/store/store.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { apiVersionOf, type Kind, type KubeObject, MANAGEMENT } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import type { Store } from "../../shared/runtime/ports.ts";
import { formatKey } from "../../shared/runtime/queue/key.ts";
import type { QueueEntry } from "../../shared/runtime/queue/queue-port.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { silentLog } from "../support/silent-log.ts";
import { type Usage, usageOf } from "./capstan-process.ts";
import { limitCpu } from "./cpu-limit.ts";
import { type PartProcess, startPart } from "./part-process.ts";
import { type RedisCost, redisCost } from "./redis-cost.ts";

/** Small machines, so that several fit on this one. */
const WORKER_CORES = 0.15;
const REDIS_CORES = 0.4;
const FUNCTION = "bench-run";
const FUNCTIONS = fileURLToPath(new URL("scaled/", import.meta.url));
const KEYS = 20_000;
const TENANTS = 20;

/** Redis, an API server that answers after 5 ms, and a read model of 20,000 pools. */
export interface ScaleWorld extends AsyncDisposable {
  /** Starts a worker in a cgroup of its own. */
  work(): Promise<PartProcess>;
  /** Enqueues the next so many keys. */
  add(count: number): Promise<void>;
  redis(): Promise<RedisCost>;
  /** CPU of all processes but the workers. */
  others(): Promise<readonly Usage[]>;
}

export async function startScaleWorld(): Promise<ScaleWorld> {
  await using starting = new AsyncDisposableStack();
  const redis = starting.use(await startRedis());
  const dir = await mkdtemp(join(tmpdir(), "capstan-scale-"));
  starting.defer(() => rm(dir, { recursive: true, force: true }));
  const server = fork(fileURLToPath(new URL("slow-server.ts", import.meta.url)));
  starting.defer(() => void server.kill("SIGKILL"));
  const [port] = (await once(server, "message")) as [number];
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigTo(port), { mode: 0o600 });
  await fillReadModel(starting.use(await createRedisStore({ url: redis.url, log: silentLog })));
  const queue = starting.use(await createBullmqQueue({ url: redis.url, log: silentLog }));
  starting.use(await limitCpu(redis.pid, REDIS_CORES));
  let next = 0;
  const running = starting.move();
  return {
    async work() {
      const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
      const worker = running.use(await startPart("worker", ...shared, "--functions-dir", FUNCTIONS));
      running.use(await limitCpu(worker.pid, WORKER_CORES));
      return worker;
    },
    async add(count) {
      const keys = Array.from({ length: count }, (_, index) => entryOf((next + index) % KEYS));
      next += count;
      await queue.enqueue(FUNCTION, keys);
    },
    redis: () => redisCost(redis.url),
    others: () => Promise.all([usageOf(redis.pid), usageOf(server.pid), usageOf(process.pid)]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function fillReadModel(store: Store): Promise<void> {
  const clusters = Array.from({ length: TENANTS }, (_, index) => objectOf(Cluster as Kind, `c${index}`, {}));
  const pools = Array.from({ length: KEYS }, (_, index) =>
    objectOf(MachinePool as Kind, `pool-${index}`, { clusterName: `c${index % TENANTS}` }),
  );
  for (const [kind, objects] of [
    [Cluster, clusters],
    [MachinePool, pools],
  ] as const) {
    const type = { cluster: MANAGEMENT, group: kind.group, kind: kind.kind };
    await store.advance(type, { ready: false });
    for (let at = 0; at < objects.length; at += 500)
      await Promise.all(objects.slice(at, at + 500).map((object) => store.put(type, [object])));
    await store.advance(type, { ready: true, resourceVersion: "1" });
  }
}

function objectOf(kind: Kind, name: string, spec: object): KubeObject {
  const metadata = { namespace: "default", name, uid: `uid-${name}`, resourceVersion: "1" };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec } as KubeObject;
}

function entryOf(index: number): QueueEntry {
  const tenant = `default/c${index % TENANTS}`;
  const name = `pool-${index}`;
  const key = formatKey({ tenant, kind: MachinePool.kind, namespace: "default", name });
  return { key, priority: "live", cause: { what: `MachinePool default/${name}`, resourceVersion: "1" } };
}

function kubeconfigTo(port: number): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "u", user: { token: "bench" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

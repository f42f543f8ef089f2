import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { loadAll } from "js-yaml";
import { expect, it, vi } from "vitest";
import type { Running } from "../../infra/cli/compose.ts";
import { applyManifests } from "../../infra/cli/up/apply-manifests.ts";
import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { x509 } from "../../infra/platform/pki/x509.ts";
import { startWorker } from "../../infra/worker/worker.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { type HostileTenant, startHostileTenants } from "../support/hostile-tenants.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { sqsTarget, startSqs } from "../support/processes/sqs.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

/** Generous: only a process that stands still, or starves the quiet tenant, needs as long. */
const WITHIN = { withinMs: 120_000, stepMs: 50 };
/** One piece of work. A parser of quadratic time needs minutes for one of the Secrets here. */
const FREEZE_MS = 30_000;
const ROUNDS = 6;
const NOISE_KEYS = 5_000;

const POOL = { namespace: "quiet", name: "p1" };

interface QueueServer extends AsyncDisposable {
  readonly url: string;
}

const queues: readonly (readonly [string, () => Promise<QueueServer>])[] = [
  ["the memory queue", async () => ({ url: "memory", [Symbol.asyncDispose]: async () => undefined })],
  ["BullMQ", startRedis],
  [
    "SQS",
    async () => {
      const stack = new AsyncDisposableStack();
      const redis = stack.use(await startRedis());
      const sqs = stack.use(await startSqs());
      const { accessKeyId, secretAccessKey } = sqsTarget(sqs).credentials;
      vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
      stack.defer(() => void vi.unstubAllEnvs());
      const url = `sqs://us-east-1?redis=${redis.url}&endpoint=${sqs.endpoint}`;
      return { url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
    },
  ],
];

describeWith(redisMissing())("one hostile tenant of each kind beside a quiet one", () => {
  it.each(queues)("does not keep it from being reconciled, with %s", async (name, startQueue) => {
    await using stack = new AsyncDisposableStack();
    const queue = stack.use(await startQueue());
    const { tenants } = stack.use(await startHostileTenants());
    const dir = testFolder("hostile-tenants");
    const kubeconfig = join(dir, "kubeconfig");
    const capstan = stack.use(
      await startCapstan(kubeconfig, {
        queue: queue.url,
        roles: ["apiserver", "cloud", "relay"],
        writeKubeconfig: kubeconfig,
        logLevel: "silent",
      }),
    );
    const waits: number[] = [];
    stack.use(await startNotedWorker(capstan, waits));
    const client = capstan.server.as("tester");
    await namespace(client, POOL.namespace);
    const manifests = [simCluster("c1", POOL.namespace), simPool(POOL.name, "c1", 1, POOL.namespace)].join(
      "---",
    );
    const objects = loadAll(manifests) as KubeObject[];
    await applyManifests(
      client,
      objects.map((object) => ({ object })),
    );
    await untilNodes(client, 1);

    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    stack.defer(() => void delay.disable());
    waits.length = 0;
    for (const tenant of tenants) await letIn(client, tenant);
    const noise = Array.from({ length: NOISE_KEYS }, (_, n) => `noisy/c|MachinePool|noisy/p${n}` as const);
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const fn of ["machinepool-status", "machinepool-sync"]) {
        const entries = noise.map((key) => ({ key, priority: "resync" }) as const);
        await capstan.queue.enqueue(fn, entries);
      }
      const replicas = 2 + (round % 2);
      const startedAt = performance.now();
      const path = "/spec/replicas";
      await client.jsonPatch(MachinePool as unknown as Kind, POOL, [
        { op: "replace", path, value: replicas },
      ]);
      await untilNodes(client, replicas);
      took.push(Math.round(performance.now() - startedAt));
    }
    const unheard = () => tenants.filter(({ asked }) => asked() === 0).map(({ name }) => name);
    await eventually(() => expect(unheard()).toEqual([]), WITHIN);
    await eventually(
      () => expect(unreported(capstan.relay?.status().connections, tenants)).toEqual([]),
      WITHIN,
    );
    const longestBlockMs = Math.round(delay.max / 1e6);
    const sorted = waits.toSorted((left, right) => left - right);
    const [median = 0, longest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    console.log(
      `${name}: changes took ${took.join(", ")} ms; ${waits.length} ready keys waited ${median} ms (median), ${longest} ms at most; longest block of the loop ${longestBlockMs} ms`,
    );
    expect(waits.length).toBeGreaterThan(ROUNDS);
    expect(longest).toBeLessThan(FREEZE_MS);
    expect(longestBlockMs).toBeLessThan(FREEZE_MS);
  });
});

/** A worker that notes how long keys of the quiet tenant were ready before they started, in ms. */
async function startNotedWorker(capstan: Running, waits: number[]): Promise<AsyncDisposable> {
  const { functions, queue, store, clock, log, relay } = capstan;
  if (relay === undefined) throw new Error("the relay does not run");
  const noted: Queue = {
    ...queue,
    work: (fn, options, run) =>
      queue.work(fn, options, (lease) => {
        if (lease.key.startsWith(`${POOL.namespace}/`)) waits.push(lease.readyMs ?? 0);
        return run(lease);
      }),
  };
  const issuer = createIssuer(x509);
  return startWorker({
    ...{ functions, queue: noted, store, clients: relay.clients, issuer, clock, log, owner: "tester" },
  });
}

async function namespace(client: KubeClient, name: string): Promise<void> {
  const kind: Kind = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", namespaced: false };
  await client.create(kind, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

async function untilNodes(client: KubeClient, count: number): Promise<void> {
  await eventually(async () => {
    const pool = await client.get(MachinePool, POOL);
    expect([pool?.status?.phase, pool?.status?.nodeRefs?.length]).toEqual(["Running", count]);
  }, WITHIN);
}

/** A Cluster in a namespace of its own, with the tenant's Secret. */
async function letIn(client: KubeClient, { name, kubeconfig }: HostileTenant): Promise<void> {
  await namespace(client, name);
  const key = { namespace: name, name: "c" };
  const infrastructureRef = {
    apiGroup: "infrastructure.sim.capstan.dev",
    kind: "SimCluster",
    name: "absent",
  };
  const spec = { infrastructureRef, controlPlaneEndpoint: { host: "127.0.0.1", port: 1 } };
  await client.apply(Cluster as unknown as Kind, key, {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: key,
    spec,
  });
  const secret = { namespace: name, name: "c-kubeconfig" };
  const labels = { "cluster.x-k8s.io/cluster-name": "c" };
  const data = { value: Buffer.from(kubeconfig).toString("base64") };
  const body = { apiVersion: "v1", kind: "Secret", metadata: { ...secret, labels }, data };
  await client.apply(Secret as unknown as Kind, secret, body);
}

type Connections =
  NonNullable<Awaited<ReturnType<typeof startCapstan>>["relay"]> extends {
    status(): { readonly connections: infer Many };
  }
    ? Many
    : never;

/** Messages of the Connections of tenants where they differ from the problem. */
function unreported(
  connections: Connections | undefined,
  tenants: readonly HostileTenant[],
): readonly string[] {
  return tenants.flatMap(({ name, reported }) => {
    const connection = connections?.find(({ cluster }) => cluster === `${name}/c`);
    const { state, message = "" } = connection ?? {};
    return reported.test(message) ? [] : [`${name}: ${state} ${message}`];
  });
}

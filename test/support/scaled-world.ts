import { setTimeout } from "node:timers/promises";
import { scaledGroup } from "../../infra/deploy/manifests/scaling.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createMemoryStore } from "../../infra/queue/backends/embedded/store.ts";
import { createBullmqQueue } from "../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { observe } from "../../infra/worker/observe.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Group } from "../../shared/function/groups.ts";
import type { Counted, Queue } from "../../shared/runtime/queue/queue-port.ts";
import { Autoscaler, type ScaledObject, SYNC_SECONDS } from "./autoscaler.ts";
import { eventually, HANG_MS } from "./eventually.ts";
import { FREE, LOADS } from "./loads.ts";
import { type RedisServer, startRedis } from "./processes/redis-server.ts";
import { silentLog } from "./silent-log.ts";
import { WorkerFleet } from "./worker-fleet.ts";

/** So many seconds of the autoscaler pass in one: it looks every 0.75 s, and 120 s are 6. */
const SPEED = 20;
const GROUPS = ["core", "workload"] as const satisfies readonly Group[];

/** Redis, the endpoints of a relay, and per group worker processes that an autoscaler starts and stops. */
export interface ScaledWorld extends AsyncDisposable {
  readonly redis: RedisServer;
  readonly queue: Queue;
  readonly fleets: Readonly<Record<(typeof GROUPS)[number], WorkerFleet>>;
  /** The most workers that a group has had. */
  most(group: (typeof GROUPS)[number]): number;
  /** Looks of the autoscaler so far. */
  looks(): number;
  counted(what: Counted): number;
  enqueue(fn: AnyFunction, keys: readonly string[]): Promise<void>;
  until(condition: () => boolean): PromiseLike<unknown>;
  /** Enqueues a few keys of FREE again and again until then; returns them. */
  trickleUntil(condition: () => boolean): Promise<readonly string[]>;
  /** The relay is gone, and nothing answers for `/scale`. */
  endRelay(): Promise<void>;
  startRelay(): Promise<void>;
}

export function keysOf(tenant: string, name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${tenant}/-|Widget|${tenant}/${name}${n}`);
}

/** `least`: the least workers of a group, in place of what is rendered for it. */
export async function openScaledWorld(least?: number): Promise<ScaledWorld> {
  await using opening = new AsyncDisposableStack();
  const redis = opening.use(await startRedis());
  const counts = new Map<Counted, number>();
  const noteCount = (_name: string, what: Counted, times: number) =>
    void counts.set(what, (counts.get(what) ?? 0) + times);
  const queue = opening.use(await createBullmqQueue({ url: redis.url, log: silentLog, noteCount }));
  // One process has it open at all times: it ticks, as a relay does.
  for (const { spec } of LOADS) await queue.depth(spec.name);

  const relay = { url: "", end: (): PromiseLike<unknown> => Promise.resolve() };
  const startRelay = async () => {
    const observed = await observe({
      address: { host: "127.0.0.1", port: 0 },
      functions: LOADS,
      queue,
      history: async () => ({}),
      store: createMemoryStore(),
      clock: systemClock,
      log: silentLog,
      version: "1",
      parts: { relay: true, worker: false },
    });
    relay.url = observed.url ?? "";
    relay.end = () => observed[Symbol.asyncDispose]();
  };
  await startRelay();
  opening.defer(async () => void (await relay.end()));

  const fleets = {
    core: opening.use(new WorkerFleet(redis.url, "core")),
    workload: opening.use(new WorkerFleet(redis.url, "workload")),
  };
  const most = { core: 1, workload: 1 };
  let looks = 0;
  const ask = async ({ pathname, search }: URL) => {
    const response = await fetch(`${relay.url}${pathname}${search}`);
    return { status: response.status, body: await response.text() };
  };
  const nowSeconds = () => (performance.now() * SPEED) / 1_000;
  const autoscalers = GROUPS.map((group) => {
    const rendered = renderedFor(group, least);
    fleets[group].scale(rendered.spec.minReplicaCount);
    const autoscaler = new Autoscaler({ scaledObject: rendered, ask, nowSeconds });
    return async () => {
      fleets[group].scale(await autoscaler.sync(fleets[group].replicas));
      most[group] = Math.max(most[group], fleets[group].replicas);
    };
  });
  opening.use(
    everySync(async () => {
      await Promise.all(autoscalers.map((look) => look()));
      looks += 1;
    }),
  );

  const enqueue = (fn: AnyFunction, keys: readonly string[]) =>
    queue.enqueue(
      fn.spec.name,
      keys.map((key) => ({ key, priority: "live" })),
    );
  const running = opening.move();
  return {
    enqueue,
    until: (condition) => eventually(condition, { withinMs: HANG_MS }),
    trickleUntil: async (condition) => {
      const keys: string[] = [];
      while (!condition()) {
        const few = keysOf("b", `tail-${keys.length}-`, 3);
        keys.push(...few);
        await enqueue(FREE, few);
        await setTimeout(50);
      }
      return keys;
    },
    redis,
    queue,
    fleets,
    most: (group) => most[group],
    looks: () => looks,
    counted: (what) => counts.get(what) ?? 0,
    endRelay: async () => void (await relay.end()),
    startRelay,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The rendered object, as KEDA gets it. */
function renderedFor(group: Group, least?: number): ScaledObject {
  const { spec }: ScaledObject = JSON.parse(JSON.stringify(scaledGroup(group)));
  return { spec: { ...spec, minReplicaCount: least ?? spec.minReplicaCount } };
}

function everySync(look: () => Promise<void>): AsyncDisposable {
  let ended = false;
  const loop = async () => {
    while (!ended) {
      await setTimeout((SYNC_SECONDS * 1_000) / SPEED);
      if (!ended) await look();
    }
  };
  const looping = loop();
  return {
    async [Symbol.asyncDispose]() {
      ended = true;
      await looping;
    },
  };
}

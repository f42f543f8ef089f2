import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import type { Relay } from "../../../infra/relay/relay.ts";
import { type Observed, observe } from "../../../infra/worker/observe.ts";
import type { Worker } from "../../../infra/worker/worker.ts";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { defineFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { WIDGET_KEY, WIDGETS, Widget } from "../../support/widget.ts";

const GROW = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const CRDS = {
  cluster: "management",
  group: CustomResourceDefinition.group,
  kind: "CustomResourceDefinition",
};
const WIDGET_CRD: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.test.dev", uid: "u", resourceVersion: "1" },
};
const READY = { ready: true, resourceVersion: "7" };

interface Options {
  readonly parts?: { readonly relay: boolean; readonly worker: boolean };
  readonly wrapQueue?: (queue: Queue) => Queue;
  readonly wrapStore?: (store: Store) => Store;
}

/** A process with a filled read model, served on a free port. */
async function serve({ parts, wrapQueue, wrapStore }: Options = {}) {
  await using starting = new AsyncDisposableStack();
  const clock = virtualClock();
  const memory = starting.use(await createMemoryQueue({ clock }));
  const store = starting.use(createMemoryStore());
  await store.put(CRDS, [WIDGET_CRD]);
  await store.advance(CRDS, READY);
  await store.advance(WIDGETS, READY);
  const observed: Observed = starting.use(
    await observe({
      address: { host: "127.0.0.1", port: 0 },
      functions: [GROW],
      queue: wrapQueue?.(memory) ?? memory,
      history: async (functionName, key) => ({ state: await memory.keyState(functionName, key) }),
      store: wrapStore?.(store) ?? store,
      clock,
      log: silentLog,
      version: "1.2.3",
      parts: parts ?? { relay: false, worker: false },
    }),
  );
  const running = starting.move();
  return {
    observed,
    store,
    url: observed.url ?? "",
    readyz: async () => {
      const response = await fetch(`${observed.url}/readyz`);
      return { code: response.status, text: await response.text() };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const NOT_READY = (...reasons: readonly string[]) => ({
  code: 503,
  text: `not ready\n${reasons.map((reason) => `- ${reason}\n`).join("")}`,
});
const OK = { code: 200, text: "ok\n" };

describe("readiness", () => {
  it("comes with the relay's first lists and goes with the worker", async () => {
    await using world = await serve({ parts: { relay: true, worker: true } });
    expect(await world.readyz()).toEqual(NOT_READY("relay: it is starting", "worker: it is starting"));

    const counts = {
      events: 0,
      eventsByType: { ADDED: 0, MODIFIED: 0, DELETED: 0, BOOKMARK: 0 },
      bytes: 0,
      pending: 0,
      undecodable: 0,
      oversized: undefined,
      reconnects: {},
      resourceVersion: undefined,
      lastByteAt: undefined,
      lastEventAt: undefined,
      lastHeardAt: 0,
      lagMs: undefined,
    };
    const loop = { name: "management widgets.test.dev", state: "backoff", lists: 0, ...counts } as const;
    let relay: ReturnType<Relay["status"]> = { ready: false, loops: [loop], connections: [] };
    let worker = { running: 0, draining: false };
    world.observed.relayStarted({ status: () => relay } as Relay);
    world.observed.workerStarted({ status: () => worker } as Worker);
    const unlisted = "relay: no first list yet of management widgets.test.dev (backoff)";
    expect(await world.readyz()).toEqual(NOT_READY(unlisted));
    relay = { ...relay, loops: [{ ...loop, lists: 1 }] };
    expect(await world.readyz()).toEqual(NOT_READY("relay: the first keys are not enqueued yet"));
    relay = { ...relay, ready: true };
    expect(await world.readyz()).toEqual(OK);

    worker = { running: 2, draining: true };
    expect(await world.readyz()).toEqual(NOT_READY("worker: it stops; 2 runs are finishing"));
  });

  it("needs a complete read model of what functions reconcile", async () => {
    await using world = await serve();
    expect(await world.readyz()).toEqual(OK);
    await world.store.drop(WIDGETS);
    expect(await world.readyz()).toEqual(
      NOT_READY("read model: no complete list of Widget; a relay fills it"),
    );
    await world.store.advance(WIDGETS, { refusal: "User a cannot list widgets" });
    expect(await world.readyz()).toEqual(
      NOT_READY("read model: no complete list of Widget; User a cannot list widgets"),
    );
    await world.store.drop(CRDS);
    const reason = "read model: no complete list of CustomResourceDefinition; a relay fills it";
    expect(await world.readyz()).toEqual(NOT_READY(reason));
  });

  it("does not wait for a kind that the server does not have", async () => {
    await using world = await serve();
    await world.store.remove(
      CRDS,
      { namespace: "", name: "widgets.test.dev" },
      { uid: "u", resourceVersion: "2" },
    );
    await world.store.drop(WIDGETS);
    expect(await world.readyz()).toEqual(OK);
  });

  it("goes while queue or read model are away and comes back with them", async () => {
    const state: { away: boolean } = { away: false };
    const orThrow = <T>(call: () => Promise<T>): Promise<T> => {
      if (state.away) return Promise.reject(new Error("Connection\nis closed."));
      return call();
    };
    await using world = await serve({
      wrapQueue: (queue) => ({ ...queue, depth: (name) => orThrow(() => queue.depth(name)) }),
      wrapStore: (store) => ({ ...store, progress: (type) => orThrow(() => store.progress(type)) }),
    });
    state.away = true;
    const reasons = ["queue: Connection is closed.", "read model: Connection is closed."];
    expect(await world.readyz()).toEqual(NOT_READY(...reasons));
    const healthy = await fetch(`${world.url}/healthz`);
    expect(healthy.status).toBe(200);
    state.away = false;
    expect(await world.readyz()).toEqual(OK);
  });

  it("goes with what the queue itself says", async () => {
    const message = "the Redis server has no memory left";
    await using world = await serve({
      wrapQueue: (queue) => ({ ...queue, healthy: () => ({ ok: false, message }) }),
    });
    expect(await world.readyz()).toEqual(NOT_READY(`queue: ${message}`));
  });

  it("goes when the queue is full and comes back when it takes keys again", async () => {
    const state: { full: boolean } = { full: true };
    await using world = await serve({
      wrapQueue: (queue) => ({
        ...queue,
        enqueue: (name, entries) =>
          state.full ? Promise.reject(new Error("OOM command not allowed")) : queue.enqueue(name, entries),
      }),
    });
    const enqueue = () =>
      world.observed.queue.enqueue("widget-grow", [{ key: WIDGET_KEY, priority: "live" }]);
    await expect(enqueue()).rejects.toThrow("OOM");
    const reason = "queue: it does not take keys of widget-grow: OOM command not allowed";
    expect(await world.readyz()).toEqual(NOT_READY(reason));
    state.full = false;
    await enqueue();
    expect(await world.readyz()).toEqual(OK);
  });
});

/** Status and headers of a request that fetch would not send. */
async function ask(url: string, options: { method?: string; headers?: { readonly [name: string]: string } }) {
  const sent = request(url, { ...options, agent: false });
  const answered = once(sent, "response");
  sent.end();
  const [response] = await answered;
  response.resume();
  await once(response, "end");
  return { code: response.statusCode as number, headers: response.headers as NodeJS.Dict<string> };
}

describe("the endpoints of a process", () => {
  it("serve metrics in Prometheus' text format and the status as JSON", async () => {
    await using world = await serve();
    const metrics = await fetch(`${world.url}/metrics`);
    expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await metrics.text()).toContain('workqueue_depth{name="widget-grow"');
    const status = await fetch(`${world.url}/status?x=1`);
    expect(await status.json()).toMatchObject({
      version: "1.2.3",
      ready: true,
      reasons: [],
      functions: ["widget-grow"],
      queue: { "widget-grow": { ready: 0, waiting: 0, running: 0, dead: 0 } },
    });
  });

  it("S-41: take GET and nothing else", async () => {
    await using world = await serve();
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]) {
      const { code, headers } = await ask(`${world.url}/metrics`, { method });
      expect([method, code, headers["allow"]]).toEqual([method, 405, "GET"]);
    }
    expect((await fetch(`${world.url}/debug`)).status).toBe(404);
  });

  it("do not answer pages that a browser was tricked into asking", async () => {
    await using world = await serve();
    for (const headers of [{ Host: "evil.example" }, { Origin: "http://evil.example" }]) {
      expect(await ask(`${world.url}/status`, { headers })).toMatchObject({ code: 403 });
    }
    expect(await ask(`${world.url}/status`, { headers: { Host: "localhost:1" } })).toMatchObject({
      code: 200,
    });
  });

  it("say where a key stands, and refuse a malformed key", async () => {
    await using world = await serve();
    const key = "default/-|Widget|default/w";
    await world.observed.queue.enqueue(GROW.spec.name, [{ key, priority: "live", delayMs: 60_000 }]);
    const answer = await fetch(`${world.url}/keys?key=${encodeURIComponent(key)}`);
    expect(await answer.json()).toMatchObject({ [GROW.spec.name]: { state: { state: "waiting" } } });
    const other = await fetch(`${world.url}/keys?key=${encodeURIComponent("default/-|Gadget|default/w")}`);
    expect(await other.json()).toEqual({});
    expect((await fetch(`${world.url}/keys?key=nonsense`)).status).toBe(400);
    const withRuns = (runs: string) => fetch(`${world.url}/keys?key=${encodeURIComponent(key)}&runs=${runs}`);
    expect(await (await withRuns("20")).json()).toMatchObject({ [GROW.spec.name]: { runs: [] } });
    for (const runs of ["21", "-1", "all", "1e9"]) expect((await withRuns(runs)).status).toBe(400);
  });

  it("give autoscalers the workers of a group as a number, and the same as a metric", async () => {
    await using world = await serve({ parts: { relay: true, worker: false } });
    const keys = Array.from({ length: 70 }, (_, n) => `default/-|Widget|default/w${n}`);
    await world.observed.queue.enqueue(
      GROW.spec.name,
      keys.map((key) => ({ key, priority: "live" })),
    );
    const own = await fetch(`${world.url}/scale?group=${GROW.spec.name}`);
    expect(await own.json()).toEqual({ group: GROW.spec.name, workers: expect.closeTo(0.2) });
    const answer = await fetch(`${world.url}/scale?group=core`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({ group: "core", workers: expect.closeTo(0.2) });
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    expect(Number(/^capstan_scale_workers\{group="core"\} (.+)$/m.exec(metrics)?.[1])).toBeCloseTo(0.2);
  });

  it("give no number for an unknown group, without a relay, or while the queue is away", async () => {
    await using away = await serve({
      parts: { relay: true, worker: false },
      wrapQueue: (queue) => ({ ...queue, depth: () => Promise.reject(new Error("Connection\nis closed.")) }),
    });
    const askFor = async (url: string, query: string) => {
      const response = await fetch(`${url}/scale${query}`);
      return { code: response.status, text: await response.text() };
    };
    const unknown = { code: 404, text: "parameter group: write one of core, or the name of a function\n" };
    for (const query of ["", "?group=", "?group=workload", "?group=core%00", "?groups=core"]) {
      expect(await askFor(away.url, query)).toEqual(unknown);
    }
    const text = "not known: queue of widget-grow: Connection is closed.\n";
    expect(await askFor(away.url, "?group=core")).toEqual({ code: 503, text });
    expect(await (await fetch(`${away.url}/metrics`)).text()).not.toMatch(/^capstan_scale_workers/m);

    await using worker = await serve({ parts: { relay: false, worker: true } });
    expect(await askFor(worker.url, "?group=core")).toEqual({
      code: 404,
      text: "only a relay knows what the workers must do: ask one for /scale\n",
    });
  });

  it("say which address is taken", async () => {
    await using world = await serve();
    const port = Number(new URL(world.url).port);
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    await using store = createMemoryStore();
    const ports = {
      functions: [],
      queue,
      history: async () => ({}),
      store,
      clock,
      log: silentLog,
      version: "1",
    };
    const second = observe({
      ...ports,
      address: { host: "127.0.0.1", port },
      parts: { relay: false, worker: false },
    });
    await expect(second).rejects.toThrow(`cannot serve metrics at 127.0.0.1:${port}: listen EADDRINUSE`);
  });
});

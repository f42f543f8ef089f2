import * as fc from "fast-check";
import { dump } from "js-yaml";
import { describe, expect, it, vi } from "vitest";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createDelivery } from "../../../../infra/relay/delivery/delivery.ts";
import { createConnection } from "../../../../infra/relay/workload/connection.ts";
import { nodesOf } from "../../../../infra/relay/workload/workload-nodes.ts";
import type { Secret } from "../../../../shared/api/core.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { inMemoryServer } from "../../../support/in-memory-server.ts";
import { silentLog } from "../../../support/silent-log.ts";

const CLUSTER = { namespace: "default", name: "c1" };

function kubeconfig(token: string): string {
  return dump({
    clusters: [{ name: "c", cluster: { server: "https://c1.example.com" } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
function secret(value: string): Secret {
  const metadata = { namespace: "default", name: "c1-kubeconfig", resourceVersion: String(value.length) };
  const data = { value: Buffer.from(value).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata, data };
}

/** Which of its own timers a connection has armed and not yet cancelled: delays in ms, without those of its watch. */
function ownTimersOn(clock: Clock): {
  readonly clock: Clock;
  readonly pending: Set<{ readonly ms: number }>;
} {
  const pending = new Set<{ readonly ms: number }>();
  return {
    pending,
    clock: {
      now: () => clock.now(),
      after(ms, callback) {
        // The watch and the client use the same clock and may use the same delays: only the caller distinguishes them.
        const [, , caller = ""] = (new Error("who calls").stack ?? "").split("\n");
        if (!/\/connection\.ts\b/.test(caller)) return clock.after(ms, callback);
        const timer = { ms };
        pending.add(timer);
        const cancel = clock.after(ms, () => {
          pending.delete(timer);
          callback();
        });
        return () => {
          pending.delete(timer);
          cancel();
        };
      },
    },
  };
}

function world() {
  const time = virtualClock();
  const own = ownTimersOn(time);
  const abort = new AbortController();
  const store = createMemoryStore();
  const workload = inMemoryServer();
  const shared = { clock: own.clock, log: silentLog, store, signal: abort.signal, random: () => 0.4 };
  const queue = { enqueue: async () => undefined } as unknown as Queue;
  const delivery = createDelivery({ ...shared, functions: [], queue, onChange: () => undefined });
  const connection = createConnection({
    ...shared,
    delivery,
    cluster: CLUSTER,
    uid: "uid-c1",
    server: createServer(parseKubeconfig(kubeconfig("management")), {
      clock: time,
      connect: workload.connect,
    }),
    connect: workload.connect,
    nodeFields: ["apiVersion", "kind", "metadata", "spec.providerID"],
    askForSecret: async () => undefined,
  });
  return { time, store, delivery, workload, connection, abort, pending: own.pending };
}
type World = ReturnType<typeof world>;

/** Events of a connection. */
const HAPPENINGS: { readonly [what: string]: (w: World) => unknown } = {
  "a kubeconfig appears": ({ connection }) => connection.secretChanged(secret(kubeconfig("one"))),
  "another kubeconfig appears": ({ connection }) => connection.secretChanged(secret(kubeconfig("another"))),
  "a malformed kubeconfig appears": ({ connection }) => connection.secretChanged(secret("malformed")),
  "the Secret goes": ({ connection }) => connection.secretChanged(undefined),
  "a latch of the Cluster changes": ({ connection }) => connection.retryNow(),
  "the store loses the Nodes": async ({ connection, store }) => {
    await store.drop(nodesOf(CLUSTER));
    connection.relistLost();
  },
  "the server answers": ({ workload }) => workload.answer(),
  "the server refuses": ({ workload }) => workload.refuse(),
  "the watch breaks": ({ workload }) => workload.breakWatches(),
  "a Node appears": ({ workload }) => workload.add("n1"),
  "a second passes": ({ time }) => time.advance(SECOND),
  "12 seconds pass": ({ time }) => time.advance(12 * SECOND),
  "40 seconds pass": ({ time }) => time.advance(40 * SECOND),
};
const BEGINNING = ["a kubeconfig appears", "a second passes"];

const LOOK_MS = 10 * SECOND;
const RETRY_MS = 30 * SECOND;

function countOf({ pending }: World, ms: number): number {
  return [...pending].filter((timer) => timer.ms === ms).length;
}

async function play(w: World, happenings: readonly string[]): Promise<void> {
  for (const what of [...BEGINNING, ...happenings]) {
    await HAPPENINGS[what]?.(w);
    await w.time.advance(0);
    expect({
      what,
      looks: countOf(w, LOOK_MS),
      retries: countOf(w, RETRY_MS),
      all: w.pending.size,
    }).toSatisfy(({ looks, retries, all }) => looks <= 1 && retries <= 1 && all === looks + retries);
  }
}

async function end({ connection, delivery, abort, time }: World): Promise<void> {
  abort.abort();
  await connection[Symbol.asyncDispose]();
  await delivery.flush();
  await time.advance(0);
}

describe("a connection", () => {
  it("looks every 10 s while it is connected, and has nothing to retry", async () => {
    const w = world();
    await play(w, []);
    expect(w.connection.status()).toMatchObject({ state: "connected", nodesComplete: true });
    expect([countOf(w, LOOK_MS), countOf(w, RETRY_MS)]).toEqual([1, 0]);
    await end(w);
  });

  it("retries every 30 s while the server refuses", async () => {
    const w = world();
    w.workload.refuse();
    await play(w, ["40 seconds pass"]);
    expect(w.connection.status()).toMatchObject({ state: "unreachable" });
    expect([countOf(w, LOOK_MS), countOf(w, RETRY_MS)]).toEqual([0, 1]);
    await end(w);
  });

  it("stores the list of an attempt before the next attempt begins, also after an outage of the store", async () => {
    const w = world();
    vi.spyOn(w.store, "list").mockRejectedValue(new Error("the store is away"));
    await play(w, ["a Node appears", "40 seconds pass"]);
    // The retries of the next attempt are closer together: it would be the first that the store accepts.
    await play(w, ["a latch of the Cluster changes"]);
    vi.restoreAllMocks();
    await play(w, ["12 seconds pass"]);
    const nodes = await w.store.list(nodesOf(CLUSTER), {});
    expect(nodes.map(({ metadata }) => metadata.name)).toEqual(["n1"]);
    expect(w.connection.status()).toMatchObject({ state: "connected", nodesComplete: true });
    await end(w);
  });

  it("has at most one look and one retry pending after any sequence, and no timer after its end", async () => {
    const sequence = fc.array(fc.constantFrom(...Object.keys(HAPPENINGS)), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(sequence, async (happenings) => {
        const w = world();
        await play(w, happenings);
        await end(w);
        expect(w.time.pending).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

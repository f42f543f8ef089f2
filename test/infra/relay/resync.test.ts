import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import type { Delivery } from "../../../infra/relay/delivery/delivery.ts";
import { lossOfQueue, resyncDue, resyncNow, resyncPeriodically } from "../../../infra/relay/resync.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import { defineFunction } from "../../../shared/function/define-function.ts";
import type { Queue, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { Thing } from "../../support/thing.ts";

const type = { cluster: MANAGEMENT, group: Thing.group, kind: Thing.kind };
const things = defineFunction(
  { name: "thing-size", summary: "s", source: "own", reconciles: Thing, watches: [], owns: [] },
  async () => {
    throw new Error("not run here");
  },
);

async function world(objects: number) {
  const store = createMemoryStore();
  for (let at = 0; at < objects; at += 1) {
    const metadata = { namespace: "default", name: `t${at}`, uid: `u${at}`, resourceVersion: String(at + 1) };
    await store.put(type, [{ apiVersion: "things.example/v1", kind: "Thing", metadata }]);
  }
  const clock = virtualClock();
  const enqueued: QueueEntry[] = [];
  const delivery = {
    enqueue: async (_name: string, entries: readonly QueueEntry[]) => void enqueued.push(...entries),
  };
  const ledger: { epoch: string | undefined } = { epoch: "1" };
  const relay = { isOpen: true };
  const abort = new AbortController();
  const options = {
    functions: [things],
    store,
    queue: {
      epoch: async () => ledger.epoch ?? Promise.reject(new Error("away")),
    } as unknown as Queue,
    delivery: delivery as unknown as Delivery,
    clock,
    log: silentLog,
    signal: abort.signal,
    isOpen: () => relay.isOpen,
  };
  return { options, clock, enqueued, ledger, relay, abort };
}

describe("resync", () => {
  it("enqueues every stored object once per period, spread over it", async () => {
    const { options, clock, enqueued, abort } = await world(120);
    const running = resyncPeriodically(options);
    await clock.advance(MINUTE);
    expect(enqueued).toHaveLength(12);
    await clock.advance(9 * MINUTE);
    expect(new Set(enqueued.map(({ key }) => key)).size).toBe(120);
    expect(enqueued).toHaveLength(120);
    expect(enqueued[0]).toEqual({
      key: "default/-|Thing|default/t0",
      priority: "resync",
      cause: { what: "resync" },
    });
    abort.abort();
    await running;
  });

  it.each([
    ["living", "default/-|Thing|default/t0"],
    ["deleting", "default/-|Thing|default/t1"],
  ] as const)("enqueues for a function that acts on %s objects those only", async (actsOn, expected) => {
    const { options, clock, enqueued, abort } = await world(1);
    const metadata = { namespace: "default", name: "t1", uid: "u1", resourceVersion: "2" };
    const deleted = { ...metadata, deletionTimestamp: "2026-01-01T12:00:00Z" };
    await options.store.put(type, [{ apiVersion: "things.example/v1", kind: "Thing", metadata: deleted }]);
    const functions = [{ ...things, spec: { ...things.spec, actsOn } }];
    const running = resyncPeriodically({ ...options, functions });
    await clock.advance(10 * MINUTE);
    expect(enqueued.map(({ key }) => key)).toEqual([expected]);
    abort.abort();
    await running;
  });

  it.each([1, 3, 59, 61])("enqueues each of %i objects exactly once per period", async (count) => {
    const { options, clock, enqueued, abort } = await world(count);
    const running = resyncPeriodically(options);
    for (let period = 1; period <= 3; period += 1) {
      await clock.advance(10 * MINUTE);
      const keys = enqueued.splice(0).map(({ key }) => key);
      expect(keys).toHaveLength(count);
      expect(new Set(keys).size).toBe(count);
    }
    abort.abort();
    await running;
  });

  it("enqueues nothing while what its runs would read is being listed", async () => {
    const { options, clock, enqueued, relay, abort } = await world(120);
    relay.isOpen = false;
    const running = resyncPeriodically(options);
    await clock.advance(5 * MINUTE);
    expect(enqueued).toEqual([]);
    relay.isOpen = true;
    await clock.advance(5 * MINUTE);
    expect(enqueued).toHaveLength(60);
    abort.abort();
    await running;
  });

  it("sees once when the ledger of a function has lost its data, and not while it does not answer (Q-15)", async () => {
    const { options, ledger } = await world(1);
    const hasLost = lossOfQueue(options);
    const looks: boolean[] = [];
    for (const epoch of ["1", "1", undefined, "1", "2", "2"]) {
      ledger.epoch = epoch;
      looks.push(await hasLost());
    }
    expect(looks).toEqual([false, false, false, false, true, false]);
  });

  it("enqueues every key of a function whose queue has begun again, or of which changes were only stored (Q-15)", async () => {
    const { options, enqueued, ledger } = await world(700);
    const due = async (isNew: boolean) => {
      await resyncDue(options, () => isNew, "loss");
      return enqueued.splice(0).length;
    };
    expect(await due(false)).toBe(700);
    expect(await due(false)).toBe(0);
    expect(await due(true)).toBe(700);
    ledger.epoch = "2";
    expect(await due(false)).toBe(700);
  });

  it("leaves out objects for which a function would decide nothing (KR-18)", async () => {
    const { options, enqueued } = await world(3);
    const isIdle = ({ metadata }: KubeObject) => metadata.name !== "t0";
    await resyncNow(options, [{ ...things, spec: { ...things.spec, isIdle } }], "list");
    expect(enqueued.map(({ key }) => key)).toEqual(["default/-|Thing|default/t0"]);
  });

  it("enqueues the first keys of every function before the later ones of any, in bounded batches (KR-18)", async () => {
    const { options } = await world(700);
    const other = { ...things, spec: { ...things.spec, name: "thing-color" } };
    const batches: (readonly [string, readonly QueueEntry[]])[] = [];
    const ended: string[] = [];
    await resyncNow(
      {
        ...options,
        delivery: { enqueue: async (name, entries) => void batches.push([name, entries]) },
        noteResync: (name) => void ended.push(`${name} after ${batches.length}`),
      },
      [things, other],
      "period",
    );
    expect(batches.map(([name, { length }]) => `${name} ${length}`)).toEqual([
      "thing-size 50",
      "thing-color 50",
      "thing-size 500",
      "thing-color 500",
      "thing-size 150",
      "thing-color 150",
    ]);
    expect(ended).toEqual(["thing-size after 5", "thing-color after 6"]);
    for (const { spec } of [things, other]) {
      const keys = batches.filter(([name]) => name === spec.name).flatMap(([, entries]) => entries);
      expect(new Set(keys.map(({ key }) => key)).size).toBe(700);
    }
  });
});

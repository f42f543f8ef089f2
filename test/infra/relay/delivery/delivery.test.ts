import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createDelivery, type Delivery } from "../../../../infra/relay/delivery/delivery.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import type { Store } from "../../../../shared/runtime/ports.ts";
import type { Queue, QueueEntry } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

interface Thing extends KubeObject {
  readonly spec: { readonly size: number };
}
const Thing: Kind<Thing> = {
  group: "things.example",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
};
const type = { cluster: MANAGEMENT, group: Thing.group, kind: Thing.kind };

function thing(name: string, resourceVersion: string, { size = 1, uid = `uid-${name}` } = {}): Thing {
  return {
    apiVersion: "things.example/v1",
    kind: "Thing",
    metadata: { namespace: "default", name, uid, resourceVersion },
    spec: { size },
  };
}

const sized = defineFunction(
  {
    name: "thing-size",
    summary: "s",
    source: "own",
    reconciles: Thing,
    watches: [
      watch(Thing, ["spec.size"], itself),
      watch(Thing, ["metadata.uid"], async ({ object }) => [
        { namespace: "default", name: `neighbour-of-${object.metadata.name}`, tenant: "default/-" },
      ]),
    ],
    owns: [],
    queue: { settleMs: 50 },
  },
  async () => {
    throw new Error("not run here");
  },
);

interface World {
  readonly store: Store;
  readonly delivery: Delivery;
  readonly enqueued: (QueueEntry & { readonly functionName: string })[];
  /** Accepted calls of the queue. */
  readonly calls: readonly (readonly QueueEntry[])[];
  readonly clock: ReturnType<typeof virtualClock>;
  readonly changes: string[];
  /** The queue refuses so many calls. */
  refuse(calls: number): void;
  kill(): void;
  /** Names woken since the last look. */
  woken(): readonly string[];
}

function world({ open = true, store = createMemoryStore() } = {}): World {
  const clock = virtualClock();
  const enqueued: World["enqueued"] = [];
  const calls: (readonly QueueEntry[])[] = [];
  const changes: string[] = [];
  const abort = new AbortController();
  let refusals = 0;
  const queue = {
    enqueue: async (functionName: string, entries: readonly QueueEntry[]) => {
      refusals -= 1;
      if (refusals >= 0) throw new Error("connection is closed");
      calls.push(entries);
      enqueued.push(...entries.map((entry) => ({ functionName, ...entry })));
    },
  } as Queue;
  const delivery = createDelivery({
    functions: [sized],
    store,
    queue,
    clock,
    log: silentLog,
    signal: abort.signal,
    onChange: ({ before, after }) =>
      changes.push(`${before?.metadata.uid ?? "-"} to ${after?.metadata.uid ?? "-"}`),
  });
  if (open) void delivery.open();
  return {
    store,
    delivery,
    enqueued,
    calls,
    clock,
    changes,
    refuse: (calls) => {
      refusals = calls;
    },
    kill: () => abort.abort(),
    woken: () => enqueued.splice(0).map(({ key }) => key.split("/").at(-1) ?? ""),
  };
}

const list = (resourceVersion: string) => ({ resourceVersion, priority: "live" }) as const;

describe("delivery", () => {
  it("stores a change, then notifies the functions it concerns, settled and with its cause (KR-14, Q-19)", async () => {
    const { delivery, enqueued, store } = world();
    await delivery.put(type, [thing("a", "5")], "live");
    expect((await store.get(type, { namespace: "default", name: "a" }))?.metadata.resourceVersion).toBe("5");
    expect(enqueued[0]).toEqual({
      functionName: "thing-size",
      key: "default/-|Thing|default/a",
      delayMs: 50,
      priority: "live",
      cause: { what: "Thing default/a", resourceVersion: "5" },
    });
  });

  it("stores several changes in one step, then notifies each function of all of them at once (KR-16)", async () => {
    const inner = createMemoryStore();
    const reported: string[] = [];
    const store: Store = {
      ...inner,
      put: (at, objects) => {
        reported.push(`put ${objects.map(({ metadata }) => metadata.name).join()}`);
        return inner.put(at, objects);
      },
    };
    const { delivery, calls, clock } = world({ store });
    await delivery.put(type, [thing("b", "4")], "live");
    await clock.advance(SECOND);
    // `b` is as it was.
    await delivery.put(type, [thing("a", "5"), thing("b", "4"), thing("c", "7", { size: 2 })], "live");
    expect(reported).toEqual(["put b", "put a,b,c"]);
    expect(
      calls.map((entries) => entries.map(({ key, cause }) => `${key} @${cause?.resourceVersion}`)),
    ).toEqual([
      ["default/-|Thing|default/b @4", "default/-|Thing|default/neighbour-of-b @4"],
      [
        "default/-|Thing|default/a @5",
        "default/-|Thing|default/neighbour-of-a @5",
        "default/-|Thing|default/c @7",
        "default/-|Thing|default/neighbour-of-c @7",
      ],
    ]);
    await clock.advance(SECOND);
    expect((await store.progress(type)).resourceVersion).toBe("7");
  });

  it("does not settle a resync", async () => {
    const { delivery, enqueued } = world();
    await delivery.put(type, [thing("a", "5")], "resync");
    expect(enqueued[0]).toMatchObject({ priority: "resync", delayMs: 0 });
  });

  it("notifies no function of an object that is not newer or has the same watched fields (KR-14, KR-15)", async () => {
    const { delivery, woken, clock } = world();
    await delivery.put(type, [thing("a", "5")], "live");
    await clock.advance(SECOND);
    woken();
    await delivery.put(type, [thing("a", "5", { size: 9 })], "live");
    await delivery.put(type, [thing("a", "4", { size: 9 })], "live");
    await delivery.put(type, [thing("a", "6")], "live");
    expect(woken()).toEqual([]);
  });

  it("notifies no function after a list of 10,000 unchanged objects (KR-17)", async () => {
    const { delivery, woken } = world();
    const all = Array.from({ length: 10_000 }, (_none, at) => thing(`t${at}`, String(1 + at)));
    await delivery.replace(type, all, list("20000"));
    expect(woken()).toHaveLength(20_000);
    await delivery.replace(type, all, list("20001"));
    expect(woken()).toEqual([]);
  });

  it("notifies of an object that disappeared between two lists as of any deletion (KR-13)", async () => {
    const { delivery, woken, changes, store } = world();
    await delivery.replace(type, [thing("a", "5"), thing("b", "6")], list("10"));
    woken();
    changes.length = 0;
    await delivery.replace(type, [thing("b", "6")], list("20"));
    expect(woken()).toEqual(["neighbour-of-a"]);
    expect(changes).toEqual(["uid-a to -"]);
    expect(await store.progress(type)).toEqual({ ready: true, resourceVersion: "20" });
  });

  it("notifies of a recreated object as deleted, then added (KR-13)", async () => {
    const { delivery, changes } = world();
    await delivery.put(type, [thing("a", "5")], "live");
    changes.length = 0;
    await delivery.replace(type, [thing("a", "9", { uid: "other" })], list("10"));
    expect(changes).toEqual(["uid-a to -", "- to other"]);
  });

  it("does not let an old deletion remove a newer object", async () => {
    const { delivery, store, woken } = world();
    await delivery.replace(type, [thing("a", "9")], list("9"));
    woken();
    await delivery.remove(type, thing("a", "7"));
    await delivery.remove(type, thing("a", "12", { uid: "older" }));
    await delivery.remove(type, thing("never-seen", "12"));
    expect(await store.get(type, { namespace: "default", name: "a" })).toBeDefined();
    expect(woken()).toEqual([]);
  });

  it("notifies of the deletion of an object that the store has forgotten", async () => {
    const { delivery, store, woken } = world();
    await delivery.replace(type, [thing("a", "9")], list("9"));
    woken();
    await store.drop(type);
    await delivery.remove(type, thing("a", "12"));
    expect(woken()).toContain("neighbour-of-a");
  });

  it("starts over when the server went back in time, and wakes for differences only (KR-12)", async () => {
    const { delivery, store, woken } = world();
    await delivery.replace(type, [thing("a", "500"), thing("b", "501"), thing("c", "502")], list("510"));
    woken();
    await delivery.replace(type, [thing("a", "90"), thing("b", "91", { size: 2 })], list("100"));
    expect(woken()).toEqual(["b", "neighbour-of-c"]);
    expect((await store.list(type, {})).map(({ metadata }) => metadata.resourceVersion)).toEqual([
      "90",
      "91",
    ]);
    expect(await store.progress(type)).toEqual({ ready: true, resourceVersion: "100" });
  });

  it("starts over when a list has an object as it was before, although its own version is higher (KR-12)", async () => {
    const { delivery, store, woken } = world();
    await delivery.replace(type, [thing("a", "500"), thing("b", "501")], list("510"));
    woken();
    expect(await delivery.replace(type, [thing("a", "500"), thing("b", "90")], list("600"))).toBe(true);
    expect((await store.get(type, { namespace: "default", name: "b" }))?.metadata.resourceVersion).toBe("90");
    expect(await delivery.replace(type, [thing("a", "500"), thing("b", "90")], list("601"))).toBe(false);
  });

  it("says that the server was restored before anything of its list is stored or notified (KR-12)", async () => {
    const { delivery, store, woken } = world();
    await delivery.replace(type, [thing("a", "500")], list("510"));
    woken();
    const seen: unknown[] = [];
    const ifRestored = async () => {
      seen.push(
        (await store.get(type, { namespace: "default", name: "a" }))?.metadata.resourceVersion,
        woken(),
      );
    };
    await delivery.replace(type, [thing("a", "90")], { ...list("100"), ifRestored });
    expect(seen).toEqual(["500", []]);
    await delivery.replace(type, [thing("a", "91")], { ...list("101"), ifRestored });
    expect(seen).toHaveLength(2);
  });

  it("believes the watch that the server was restored though the store has lost what would show it (KR-12)", async () => {
    const { delivery, store } = world();
    await delivery.replace(type, [thing("a", "500")], list("510"));
    await store.advance(type, { ready: false });
    let reported = 0;
    const ifRestored = async () => {
      reported += 1;
    };
    expect(await delivery.replace(type, [thing("a", "90")], { ...list("100"), ifRestored })).toBe(false);
    await store.advance(type, { ready: false });
    const restored = { ...list("100"), ifRestored, restored: true };
    expect(await delivery.replace(type, [thing("a", "90")], restored)).toBe(true);
    expect(reported).toBe(1);
  });

  it("keeps what another relay has stored since its list was made (KR-21)", async () => {
    const { delivery, store } = world();
    await delivery.replace(type, [thing("a", "500")], list("510"));
    await delivery.put(type, [thing("a", "600")], "live");
    expect(await delivery.replace(type, [thing("a", "500")], list("550"))).toBe(false);
    expect((await store.get(type, { namespace: "default", name: "a" }))?.metadata.resourceVersion).toBe(
      "600",
    );
  });

  it("starts over with the list of another server (KR-12)", async () => {
    const { delivery } = world();
    await delivery.replace(type, [thing("a", "500")], { ...list("510"), scope: "one" });
    expect(await delivery.replace(type, [thing("a", "700")], { ...list("710"), scope: "other" })).toBe(true);
    expect(await delivery.replace(type, [thing("a", "700")], { ...list("711"), scope: "other" })).toBe(false);
  });

  it("asks a queue that refuses until it takes the keys, and the caller waits (KR-14)", async () => {
    const { delivery, refuse, clock, woken } = world();
    refuse(3);
    let done = false;
    const put = delivery.put(type, [thing("a", "5")], "live").then(() => {
      done = true;
    });
    await clock.advance(200);
    expect(done).toBe(false);
    await clock.advance(10_000);
    await put;
    expect(woken()).toEqual(["a", "neighbour-of-a"]);
  });

  it("only stores what is listed for the first time, and notifies of what changes meanwhile when it is opened", async () => {
    const { delivery, changes, woken } = world({ open: false });
    expect(await delivery.resume(type, "scope")).toBeUndefined();
    await delivery.put(type, [thing("a", "5")], "live");
    expect(changes).toEqual(["- to uid-a"]);
    expect(woken()).toEqual([]);
    expect(await delivery.open()).toEqual([type]);
    expect(woken()).toEqual(["a", "neighbour-of-a"]);
    await delivery.put(type, [thing("b", "6")], "live");
    expect(woken()).toEqual(["b", "neighbour-of-b"]);
  });
});

describe("a type whose data the store has lost", () => {
  const known = [thing("a", "5"), thing("b", "6"), thing("c", "7")];

  async function relisted(objects: readonly Thing[], news: { readonly since?: string } = { since: "7" }) {
    const w = world();
    await w.delivery.replace(type, known, list("8"));
    await w.store.drop(type);
    w.woken();
    w.delivery.close(type);
    await w.delivery.replace(type, objects, { ...list("20"), ...news });
    expect(w.woken()).toEqual([]);
    return w;
  }

  it("notifies, when it is opened, of each object that has changed since the watch before", async () => {
    const w = await relisted([thing("a", "5"), thing("b", "6"), thing("c", "12", { size: 2 })]);
    await w.delivery.put(type, [thing("b", "21", { size: 2 })], "live");
    await w.delivery.put(type, [thing("b", "22", { size: 1 })], "live");
    await w.delivery.open();
    const live = w.enqueued
      .filter(({ priority }) => priority === "live")
      .map(({ key }) => key.split("/").at(-1));
    expect(live).toEqual(["c", "neighbour-of-c"]);
  });

  it("leaves everything to the resync where no watch knows what has changed", async () => {
    const w = await relisted([thing("c", "12", { size: 2 })], {});
    await w.delivery.open();
    expect(w.enqueued).toEqual([]);
  });
});

describe("a relay that is killed and started again", () => {
  const complete = { ...list("20"), scope: "scope" };

  it("resumes from the version up to which everything was stored and notified (KR-08, KR-14)", async () => {
    const first = world();
    await first.delivery.replace(type, [thing("a", "5"), thing("b", "6")], complete);
    await first.delivery.put(type, [thing("a", "21", { size: 2 })], "live");
    const killed = await world({ store: first.store }).delivery.resume(type, "scope");
    expect(killed).toBe("20");
    await first.clock.advance(SECOND);
    expect(await world({ store: first.store }).delivery.resume(type, "scope")).toBe("21");
    await first.delivery.put(type, [thing("a", "22", { size: 3 })], "live");
    await first.delivery.flush();
    expect(await world({ store: first.store }).delivery.resume(type, "scope")).toBe("22");
  });

  it("notifies once of changes left by a crash, however often it tries a server that is away (KR-14)", async () => {
    const first = world();
    await first.delivery.replace(type, [thing("a", "5"), thing("b", "6")], complete);
    await first.delivery.put(type, [thing("a", "21", { size: 2 })], "live");
    await first.store.remove(
      type,
      { namespace: "default", name: "b" },
      { uid: "uid-b", resourceVersion: "22" },
    );
    const { delivery, woken } = world({ store: first.store });
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await delivery.resume(type, "scope")).toBe("20");
    expect(woken().toSorted()).toEqual(["a", "neighbour-of-b"]);
    // A third relay knows nothing of that.
    const third = world({ store: first.store });
    await third.delivery.resume(type, "scope");
    expect(third.woken().toSorted()).toEqual(["a", "neighbour-of-b"]);
  });

  it("writes the version after 100 changes without waiting for the second (KR-14)", async () => {
    const first = world();
    await first.delivery.replace(type, [], complete);
    for (let version = 21; version <= 120; version += 1)
      await first.delivery.put(type, [thing("a", String(version))], "live");
    expect(await first.store.progress(type)).toMatchObject({ resourceVersion: "120" });
  });

  it("resumes from the store and notifies no function of 10,000 unchanged objects (KR-17)", async () => {
    const first = world();
    const all = Array.from({ length: 10_000 }, (_none, at) => thing(`t${at}`, String(1 + at)));
    await first.delivery.replace(type, all, { ...complete, resourceVersion: "20000" });
    const second = world({ store: first.store, open: false });
    expect(await second.delivery.resume(type, "scope")).toBe("20000");
    expect(second.changes).toHaveLength(10_000);
    expect(await second.delivery.open()).toEqual([]);
    await second.delivery.replace(type, all, { ...complete, resourceVersion: "20001" });
    expect(second.woken()).toEqual([]);
  });

  it.each(["another scope", undefined])("does not resume from another scope (%s)", async (scope) => {
    const first = world();
    await first.delivery.replace(type, [thing("a", "5")], complete);
    const second = world({ store: first.store, open: false });
    expect(await second.delivery.resume(type, scope)).toBeUndefined();
    expect(await second.store.progress(type)).toMatchObject({ ready: false });
    expect(await second.delivery.open()).toEqual([type]);
  });

  it.each([
    ["stored a change", (w: World) => w.delivery.put(type, [thing("a", "21", { size: 2 })], "live"), ["a"]],
    [
      "stored an object",
      (w: World) => w.delivery.put(type, [thing("c", "21")], "live"),
      ["c", "neighbour-of-c"],
    ],
    ["removed an object", (w: World) => w.delivery.remove(type, thing("a", "21")), ["neighbour-of-a"]],
  ])(
    "notifies of a change that it was killed over when it had %s (KR-14)",
    async (_what, change, expected) => {
      const first = world();
      await first.delivery.replace(type, [thing("a", "5")], complete);
      first.refuse(Number.POSITIVE_INFINITY);
      const killed = change(first);
      await first.clock.advance(SECOND);
      const second = world({ store: first.store, open: false });
      expect(await second.delivery.resume(type, "scope")).toBe("20");
      expect(second.woken()).toEqual(expected);
      // The server sends it again, from the version on: functions are notified once more, and then no more.
      await change(second);
      await second.clock.advance(SECOND);
      second.woken();
      await change(second);
      expect(second.woken()).toEqual([]);
      first.kill();
      await killed.catch(() => undefined);
    },
  );

  it("lists and notifies of differences only where the store has lost some of it", async () => {
    const first = world();
    await first.delivery.replace(type, [thing("a", "5"), thing("b", "6"), thing("c", "7")], complete);
    first.woken();
    // The progress of a store with a hole.
    await first.store.remove(
      type,
      { namespace: "default", name: "b" },
      { uid: "uid-b", resourceVersion: "99" },
    );
    await first.store.advance(type, { ready: false });
    expect(await first.delivery.hasLost(type)).toBe(true);
    await first.delivery.replace(type, [thing("a", "5"), thing("b", "6")], {
      ...complete,
      resourceVersion: "30",
    });
    expect(first.woken()).toEqual(["b", "neighbour-of-b", "neighbour-of-c"]);
    expect(await first.delivery.hasLost(type)).toBe(false);
  });

  it("starts over in a store that goes back just when it was emptied", async () => {
    const inner = createMemoryStore();
    let forgotten = 0;
    const store = {
      ...inner,
      drop: async () => {
        forgotten += 1;
        if (forgotten > 1) await inner.drop(type);
      },
    };
    await store.put(type, [thing("gone", "3")]);
    const first = world({ store });
    await first.delivery.replace(type, [thing("a", "5")], complete);
    expect(forgotten).toBe(2);
    expect((await store.list(type, {})).map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });

  it("notes in the store that a list begins before anything of it is stored, and at last that it is complete", async () => {
    const inner = createMemoryStore();
    const reported: string[] = [];
    const store = {
      ...inner,
      put: (...put: Parameters<typeof inner.put>) => {
        reported.push(`put ${put[1].length}`);
        return inner.put(...put);
      },
      advance: (...advance: Parameters<typeof inner.advance>) => {
        reported.push(`ready ${advance[1].ready}`);
        return inner.advance(...advance);
      },
    };
    const first = world({ store });
    await first.delivery.replace(type, [thing("a", "5"), thing("b", "6")], complete);
    expect(reported).toEqual(["ready false", "put 2", "ready true"]);
  });

  it("notices a store that has lost its newest writes", async () => {
    const first = world();
    await first.delivery.replace(type, [thing("a", "5")], complete);
    await first.delivery.reached(type, "40");
    expect(await first.delivery.hasLost(type)).toBe(false);
    await first.store.drop(type);
    await first.store.advance(type, { ready: true, resourceVersion: "39" });
    expect(await first.delivery.hasLost(type)).toBe(true);
  });

  it("is harmless beside another one: the later relay notifies once more (KR-21)", async () => {
    const first = world();
    const second = world({ store: first.store });
    await first.delivery.replace(type, [thing("a", "5")], complete);
    first.woken();
    first.refuse(Number.POSITIVE_INFINITY);
    const killed = first.delivery.put(type, [thing("a", "21", { size: 2 })], "live");
    await first.clock.advance(SECOND);
    await second.delivery.put(type, [thing("a", "21", { size: 2 })], "live");
    expect(second.woken()).toEqual(["a"]);
    first.kill();
    await killed.catch(() => undefined);
  });
});

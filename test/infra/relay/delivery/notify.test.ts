import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createNotify } from "../../../../infra/relay/delivery/notify.ts";
import { createWatchFilter, EVERYTHING } from "../../../../infra/relay/delivery/watch-filter.ts";
import { Node } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import type { Store } from "../../../../shared/runtime/ports.ts";
import type { QueueEntry } from "../../../../shared/runtime/queue/queue-port.ts";
import type { Change } from "../../../../shared/runtime/queue/route.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

interface Thing extends KubeObject {
  readonly spec: { readonly size: number; readonly color: string };
}
const Thing: Kind<Thing> = {
  group: "things.example",
  version: "v1",
  kind: "Thing",
  plural: "things",
  namespaced: true,
};

function thing(name: string, resourceVersion: string, spec: Partial<Thing["spec"]> = {}, labels = {}): Thing {
  return {
    apiVersion: "things.example/v1",
    kind: "Thing",
    metadata: { namespace: "default", name, uid: `uid-${name}`, resourceVersion, labels },
    spec: { size: 1, color: "red", ...spec },
  };
}

function functionOf(name: string, field: "spec.size" | "spec.color", settleMs?: number) {
  return defineFunction(
    {
      name,
      summary: "s",
      source: "own",
      reconciles: Thing,
      watches: [watch(Thing, [field], itself)],
      owns: [],
      ...(settleMs === undefined ? {} : { queue: { settleMs } }),
    },
    () => expect.fail("a relay runs no step"),
  );
}
const FUNCTIONS = [functionOf("thing-size", "spec.size", 50), functionOf("thing-color", "spec.color")];

const changed = (before: Thing | undefined, after: Thing | undefined): Change => ({
  kind: Thing,
  cluster: MANAGEMENT,
  before,
  after,
});

function notifying({
  refusals = 0,
  filter = EVERYTHING,
  functions = FUNCTIONS,
  store = createMemoryStore() as Store,
} = {}) {
  const calls: { readonly functionName: string; readonly entries: readonly QueueEntry[] }[] = [];
  let left = refusals;
  const clock = virtualClock();
  const notify = createNotify({
    functions,
    store,
    queue: {
      enqueue: async (functionName, entries) => {
        left -= 1;
        if (left >= 0) throw new Error("connection is closed");
        calls.push({ functionName, entries });
      },
    },
    clock,
    log: silentLog,
    signal: new AbortController().signal,
    filter,
  });
  const reported = () =>
    calls.map(({ functionName, entries }) =>
      [functionName, ...entries.map(({ key, cause }) => `${key} @${cause?.resourceVersion}`)].join(" "),
    );
  return { notify, calls, reported, clock };
}

describe("notifying functions of changes", () => {
  it("KR-15, KR-16: each function hears once of all changes that concern it, in their order", async () => {
    const { notify, reported, calls } = notifying();
    const changes = [
      changed(undefined, thing("a", "5")),
      changed(thing("b", "2"), thing("b", "6", { color: "blue" })),
      changed(thing("c", "3"), thing("c", "7")),
      changed(thing("d", "4"), thing("d", "8", { size: 3 })),
    ];
    await notify(changes, "live");
    expect(reported()).toEqual([
      "thing-size default/-|Thing|default/a @5 default/-|Thing|default/d @8",
      "thing-color default/-|Thing|default/a @5 default/-|Thing|default/b @6",
    ]);
    expect(calls.map(({ entries }) => entries[0]?.delayMs)).toEqual([50, 0]);
  });

  it("Q-19: only live keys settle", async () => {
    const { notify, calls } = notifying();
    await notify([changed(undefined, thing("a", "5"))], "resync");
    expect(calls.map(({ entries }) => entries[0])).toMatchObject([
      { delayMs: 0, priority: "resync" },
      { delayMs: 0, priority: "resync" },
    ]);
  });

  it("KR-14: ends once a queue that refused calls has accepted all keys", async () => {
    const { notify, reported, clock } = notifying({ refusals: 3 });
    let isOver = false;
    const over = notify([changed(undefined, thing("a", "5"))], "live").then(() => {
      isOver = true;
    });
    await clock.advance(100);
    expect(isOver).toBe(false);
    await clock.advance(5_000);
    await over;
    expect(reported()).toHaveLength(2);
  });

  it("an object that gets the label of the filter appears, also when nothing else of it has changed", async () => {
    const filter = createWatchFilter("capstan", FUNCTIONS, createMemoryStore());
    const { notify, reported } = notifying({ filter });
    const labels = { "cluster.x-k8s.io/watch-filter": "capstan" };
    await notify([changed(thing("a", "5"), thing("a", "6", {}, labels))], "live");
    expect(reported()).toEqual([
      "thing-size default/-|Thing|default/a @6",
      "thing-color default/-|Thing|default/a @6",
    ]);
  });

  describe("of a workload cluster, where what it is looked up in is not listed", () => {
    const things = functionOf("thing-node", "spec.size");
    const ofNode = watch(Node, ["status.conditions"], ({ object }, reconciled, lookup) =>
      lookup.find(reconciled, "node", object.metadata.name),
    );
    const functions = [{ ...things, spec: { ...things.spec, watches: [ofNode] } }];
    const node: KubeObject = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n", resourceVersion: "9" },
    };

    function world(refusal?: string) {
      const progress = { ready: false, resourceVersion: undefined, scope: undefined, refusal };
      const found = [{ tenant: "default/-", namespace: "default", name: "a" }];
      const store: Store = {
        ...createMemoryStore(),
        find: async () => (progress.ready ? found : []),
        progress: async () => progress,
      };
      const { notify, reported, clock } = notifying({ functions, store });
      let isOver = false;
      void notify([{ kind: Node, cluster: "default/c1", after: node }], "live").then(() => {
        isOver = true;
      });
      const isOverAfter = async (ms: number) => {
        await clock.advance(ms);
        return isOver;
      };
      return { progress, reported, isOverAfter };
    }

    it("waits for the list", async () => {
      const { progress, reported, isOverAfter } = world();
      expect(await isOverAfter(5 * SECOND)).toBe(false);
      progress.ready = true;
      expect(await isOverAfter(SECOND)).toBe(true);
      expect(reported()).toEqual(["thing-node default/-|Thing|default/a @9"]);
    });

    it("does not wait for a list that is refused", async () => {
      expect(await world("forbidden").isOverAfter(0)).toBe(true);
    });

    it("waits for half a minute: then no relay lists it, and the first that does resyncs its functions", async () => {
      const { isOverAfter } = world();
      expect(await isOverAfter(29 * SECOND)).toBe(false);
      expect(await isOverAfter(2 * SECOND)).toBe(true);
    });
  });

  it("nothing is enqueued for no change", async () => {
    const { notify, calls } = notifying();
    await notify([], "live");
    expect(calls).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { fleetSchema } from "../../../../infra/console/api/fleet.ts";
import { letterGroupsSchema, lettersSchema, replaySchema } from "../../../../infra/console/api/letters.ts";
import { searchSchema } from "../../../../infra/console/api/page.ts";
import { durationsSchema, samplesSchema } from "../../../../infra/console/api/queue.ts";
import { startFleetIndex } from "../../../../infra/console/fleet/fleet-index.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../../shared/api/core.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { NO_RUNS } from "../../../../shared/runtime/queue/run-counts.ts";
import { cluster } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn, GROW, keyOf, serveQueueConsole, WIDGET_GROW } from "../../../support/console-queue.ts";

const IDLE = {
  peek: async () => ({
    ready: 0,
    waiting: 0,
    running: 0,
    dead: 0,
    counts: { runs: 0, failures: 0, durations: [] },
  }),
  keys: async () => ({ items: [] }),
  keyState: async () => undefined,
  topTenants: async () => [],
};

describe("the fleet in the console", () => {
  it("has the Clusters of the namespaces that a person sees, and no sum of others", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    for (const { group, kind } of [Cluster, Connection]) {
      await store.advance({ cluster: MANAGEMENT, group, kind }, { ready: true, resourceVersion: "7" });
    }
    const type = { cluster: MANAGEMENT, group: Cluster.group, kind: Cluster.kind };
    for (const namespace of ["default", "private"]) {
      await store.put(type, [cluster({ metadata: { namespace, name: "c1", uid: `uid-${namespace}` } })]);
    }
    await using fleet = startFleetIndex({ store, queue: IDLE, functions: [], clock });
    await fleet.ready();
    const reviewer = allowingIn("default");
    const namespaces = async () => ["default", "private"];
    await using world = await serveTestConsole({
      clock,
      functions: [],
      ports: { fleet },
      reviewer,
      namespaces,
    });
    const ask = (query: string) => world.get(`/fleet${query}`);

    const { items, total, counts } = fleetSchema.parse((await ask("")).body);
    expect(items).toMatchObject([{ namespace: "default", name: "c1" }]);
    expect(total).toBe(1);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1);
    expect((await ask("?q=private")).body).toMatchObject({ items: [] });
    expect((await ask("?namespace=private")).body).toMatchObject({ items: [], total: 0 });
    for (const query of ["?next=foreign", "?limit=1e9", "?state=lost", `?q=${"x".repeat(10_000)}`]) {
      expect(await ask(query)).toMatchObject({ status: 400 });
    }
  });
});

const KEYS = ["w1", "w2", "w3", "odd"].map((name) => keyOf("a", name));
const dead = [...KEYS, keyOf("b", "secret-name")];
const messageOf = (key: string) =>
  key.endsWith("odd") ? "no disk is left" : `Widget ${key.split("/").at(-1)}-1 has no leaf`;

describe("groups of letters in the console", () => {
  it("are by function and error, those with the most keys first, page by page", async () => {
    await using world = await serveQueueConsole({ dead, messageOf });
    const all = letterGroupsSchema.parse((await world.get("/letter-groups")).body);
    expect(all.items.map(({ count }) => count)).toEqual([4, 1]);
    const [first, second] = all.items;
    expect(first).toMatchObject({
      function: GROW,
      reason: "MaxAttempts",
      error: "Transient Error: Widget … has no leaf",
    });
    const page = letterGroupsSchema.parse((await world.get("/letter-groups?limit=1")).body);
    const rest = letterGroupsSchema.parse((await world.get(`/letter-groups?limit=1&next=${page.next}`)).body);
    expect([page.items[0]?.id, rest.items[0]?.id, rest.next]).toEqual([first?.id, second?.id, undefined]);
    expect((await world.get("/letter-groups?function=other")).body["items"]).toEqual([]);
  });

  it("list the letters of one of them, with the size of all of it", async () => {
    await using world = await serveQueueConsole({ dead, messageOf });
    const { items } = letterGroupsSchema.parse((await world.get("/letter-groups")).body);
    const seen: string[] = [];
    let next = "";
    do {
      const { body } = await world.get(`/letters?group=${items[0]?.id}&limit=3${next}`);
      const page = lettersSchema.parse(body);
      expect(page.group).toEqual(items[0]);
      seen.push(...page.items.map(({ key }) => key));
      next = page.next === undefined ? "" : `&next=${page.next}`;
    } while (next !== "");
    expect(new Set(seen)).toEqual(new Set(dead.filter((key) => !key.endsWith("odd"))));
    expect(seen.length).toBe(4);
    expect(lettersSchema.parse((await world.get("/letters?group=gone")).body)).toMatchObject({ items: [] });
  });

  it("say how many keys are still dead once some were requeued, and requeue only these", async () => {
    await using world = await serveQueueConsole({ dead: KEYS, messageOf: () => "it is broken" });
    const [before] = letterGroupsSchema.parse((await world.get("/letter-groups")).body).items;
    expect(before).toMatchObject({ count: 4, dead: 4 });
    const [key = ""] = KEYS;
    const { items } = lettersSchema.parse((await world.get("/letters")).body);
    const { deadSince, times } = items.find((each) => each.key === key) ?? {};
    await world.press(`/letters/${GROW}/${encodeURIComponent(key)}/requeue`, { deadSince, times });
    await world.clock.advance(5_000);
    const [after] = letterGroupsSchema.parse((await world.get("/letter-groups")).body).items;
    expect(after).toMatchObject({ id: before?.id, count: 4, dead: 3 });
    const listed = lettersSchema.parse((await world.get(`/letters?group=${after?.id}`)).body);
    expect(listed.group).toEqual(after);
    const states = new Map(listed.items.map((each) => [each.key, each.state]));
    expect(states.get(key)).toBe("revived");
    const wanted = { action: "requeue", function: GROW, select: { group: after?.id } };
    expect(await world.press("/jobs", { ...wanted, count: 4 })).toMatchObject({
      status: 412,
      body: { current: { count: 3 } },
    });
    expect(await world.press("/jobs", { ...wanted, count: 3 })).toMatchObject({
      status: 200,
      body: { total: 3 },
    });
    expect(await world.press("/jobs", { ...wanted, action: "drop", count: 4 })).toMatchObject({
      status: 200,
    });
  });

  it("hold no letter of a namespace that the person does not see", async () => {
    await using world = await serveQueueConsole({ dead, messageOf, reviewer: allowingIn("a") });
    const { text, body } = await world.get("/letter-groups");
    expect(letterGroupsSchema.parse(body).items.map(({ count }) => count)).toEqual([3, 1]);
    expect(text).not.toContain("secret-name");
  });

  it("refuse cursors and limits that they do not know", async () => {
    await using world = await serveQueueConsole({ dead: KEYS });
    for (const [path, field] of [
      ["/letter-groups?next=foreign", "next"],
      ["/letter-groups?limit=1e9", "limit"],
      [`/letter-groups?function=${"x".repeat(10_000)}`, "function"],
      ["/letters?group=x&next=foreign", "next"],
      [`/letters?group=${"x".repeat(10_000)}`, "group"],
    ] as const) {
      const answer = await world.get(path);
      expect([path, answer.status, answer.body["field"]]).toEqual([path, 400, field]);
    }
  });
});

const A1 = keyOf("a", "w1");
const pathOf = (key: string) => `/letters/${GROW}/${encodeURIComponent(key)}/replay`;
const decided = (value: number, digest: string) => ({
  result: "done",
  ok: true,
  requests: [{ title: "patch Widget a/w1", body: { spec: { size: value } } }],
  digest,
});

describe("the replay of a letter in the console", () => {
  it("shows the decision then and now side by side, and is kept for the next page", async () => {
    let replays = 0;
    const replay = async () => {
      replays += 1;
      return { type: "different" as const, recorded: decided(1, "1"), replayed: decided(2, "2") };
    };
    await using world = await serveQueueConsole({ dead: [A1], replay });
    const answer = replaySchema.parse((await world.get(pathOf(A1))).body);
    expect(answer).toMatchObject({ verdict: "different", recorded: { digest: "1" }, replayed: { ok: true } });
    expect(answer.lines).toEqual([
      { left: "patch Widget a/w1", right: "patch Widget a/w1", same: true },
      { left: "  spec:", right: "  spec:", same: true },
      { left: "    size: 1", right: "    size: 2", same: false },
      { left: "result: done", right: "result: done", same: true },
    ]);
    await world.get(pathOf(A1));
    expect(replays).toBe(1);
  });

  it("says why it was cut; is refused elsewhere, and not found without a letter", async () => {
    const replay = async () => ({ type: "cut" as const, why: "it did not end within 2 s" });
    await using world = await serveQueueConsole({ dead: [A1], replay, reviewer: allowingIn("a") });
    expect((await world.get(pathOf(A1))).body).toMatchObject({
      verdict: "cut",
      why: "it did not end within 2 s",
    });
    expect(await world.get(pathOf(keyOf("a", "gone")))).toMatchObject({ status: 404 });
    expect(await world.get(pathOf(keyOf("b", "w1")))).toMatchObject({ status: 403 });
    expect(await world.get(pathOf("malformed"))).toMatchObject({ status: 403 });
  });
});

const AT = Date.parse("2026-01-01T00:00:00Z");
const SAMPLE = { at: AT, ready: 1, waiting: 2, running: 3, dead: 4, oldestReadyMs: 5, ...NO_RUNS };

/** A minute in which 98 runs took 10 ms at most, and 2 of them a second. */
const MINUTE = [0, 60_000].map((ms) => ({
  ...SAMPLE,
  at: AT + ms,
  durations: NO_RUNS.durations.map((_, group) =>
    ms === 0 ? 7 : 7 + (group === 1 ? 98 : group === 7 ? 2 : 0),
  ),
}));

function serve(...namespaces: readonly string[]) {
  return serveTestConsole({
    functions: [WIDGET_GROW],
    reviewer: allowingIn(...namespaces),
    namespaces: async () => ["a", "b"],
    ports: { samples: async (_, lastMs) => (lastMs === undefined ? [SAMPLE] : MINUTE) },
  });
}

describe("samples in the console", () => {
  it("say how long the runs of each function took, to those who see all namespaces", async () => {
    await using world = await serve("all");
    const { body } = await world.get("/durations");
    const [item] = durationsSchema.parse(body).items;
    expect(item).toMatchObject({ function: "widget-grow", runs: 100 });
    expect(item?.p50Ms).toBeGreaterThan(5);
    expect(item?.p50Ms).toBeLessThanOrEqual(10);
    expect(item?.p99Ms).toBeGreaterThan(500);
    await using partly = await serve("a");
    const answer = await partly.get("/durations");
    expect(answer).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
  });

  it("are for those who see all namespaces, as they are sums over all", async () => {
    await using world = await serve("all");
    const { body } = await world.get("/queue/widget-grow/samples");
    expect(samplesSchema.parse(body)).toMatchObject({
      from: "2026-01-01T00:00:00.000Z",
      stepMs: 10_000,
      ready: [1],
      dead: [4],
      runs: [null],
    });
    expect(await world.get("/queue/nothing/samples")).toMatchObject({ status: 404 });
    await using partly = await serve("a");
    const answer = await partly.get("/queue/widget-grow/samples");
    expect(answer).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
  });
});

describe("the search of the console", () => {
  it("looks among what the person sees", async () => {
    const asked: unknown[] = [];
    const place = { type: "cluster", namespace: "a", name: "c1" } as const;
    await using world = await serveTestConsole({
      reviewer: allowingIn("a"),
      namespaces: async () => ["a", "b"],
      ports: {
        search: async (wanted) => {
          asked.push(wanted);
          return [{ place, title: "Cluster a/c1" }];
        },
      },
    });
    const found = await world.get("/search?q=c1");
    expect(searchSchema.parse(found.body).items).toEqual([{ place, title: "Cluster a/c1" }]);
    expect(asked).toEqual([{ q: "c1", sight: new Set(["a"]) }]);
    for (const query of ["", "?q=", `?q=${"x".repeat(10_000)}`, "?q=a&q=b"]) {
      const { status, body } = await world.get(`/search${query}`);
      expect([query.slice(0, 20), status, body["field"]]).toEqual([query.slice(0, 20), 400, "q"]);
    }
  });
});

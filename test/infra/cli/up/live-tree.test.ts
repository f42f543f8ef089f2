import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../../functions/machinepool/guard.ts";
import { createLiveArea } from "../../../../infra/cli/terminal/live-area.ts";
import { frameOf, startLiveTree } from "../../../../infra/cli/up/live-tree.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { ReadHistory } from "../../../../shared/runtime/letters/run-history.ts";
import { cluster, crd, FOO_CRDS, machinePool } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";

const CAPI = { cluster: "management", group: "cluster.x-k8s.io" };
const POOLS = { ...CAPI, kind: "MachinePool" };
const version = (resourceVersion: string) => ({ metadata: { uid: "u", resourceVersion } });
const history: ReadHistory = async () => ({
  lastRun: {
    runId: "r",
    endedAt: "2026-01-01T00:00:00Z",
    durationMs: 1,
    causes: [],
    outcome: "ok",
    writes: [],
    waitingFor: "Cluster.metadata.uid",
  },
});

async function world() {
  const store = createMemoryStore();
  await store.put({ ...CAPI, kind: "Cluster" }, [cluster({ status: { phase: "Provisioned" } })]);
  await store.put(POOLS, [machinePool({ ...version("1"), status: { phase: "Pending" } })]);
  return { store, functions: [machinepoolGuard], history, clock: virtualClock() };
}

describe("the live tree of capstan up", () => {
  it("shows phases and what each object waits for, within the screen", async () => {
    const parts = await world();
    await using _store = parts.store;
    const lines = await frameOf(parts, { columns: 200, rows: 40 });
    expect(lines[0]).toMatch(/^Cluster default\/c1 {2}Provisioned$/);
    expect(lines.find((line) => line.includes("MachinePool default/p1"))).toContain("Pending  0 of 3 Nodes");
    expect(lines.join("\n")).toContain("machinepool-guard waits for Cluster.metadata.uid");
    const small = await frameOf(parts, { columns: 20, rows: 4 });
    expect(small).toHaveLength(2);
    expect(small.at(-1)).toContain("… more than fits");
  });

  it("counts the available Clusters of several, and shows the others first", async () => {
    const parts = await world();
    await using store = parts.store;
    for (const [name, status] of [
      ["a", "True"],
      ["z", "False"],
    ] as const) {
      const conditions = [
        { type: "Available", status, reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ];
      const metadata = { name, uid: name, resourceVersion: "1" };
      await store.put({ ...CAPI, kind: "Cluster" }, [
        cluster({ metadata, status: { phase: "Provisioned", conditions } }),
      ]);
    }
    const lines = await frameOf(parts, { columns: 200, rows: 60 });
    expect(lines[0]).toContain("1 of 3 Clusters are available");
    await store.signs.note([POOLS], parts.clock.now());
    await parts.clock.advance(45_000);
    const old = await frameOf(parts, { columns: 200, rows: 60 });
    expect(old[0]).toContain("1 of 3 Clusters were available");
    const shown = lines.flatMap((line) => /^Cluster default\/(\w+)/.exec(line)?.[1] ?? []);
    expect(shown).toEqual(["c1", "z", "a"]);
  });

  it("says first since when all is old that it shows, and paints nothing as well by it", async () => {
    const parts = await world();
    await using _store = parts.store;
    await parts.store.signs.note([POOLS], parts.clock.now());
    await parts.clock.advance(45_000);
    const lines = await frameOf(parts, { columns: 200, rows: 40 });
    expect(lines[0]).toMatch(/^Cluster default\/c1 {2}old: {2}Provisioned$/);
    expect(lines[1]).toMatch(/! relay away since 2026-01-01T00:00:00.000Z: nothing below is newer$/);
  });

  it("says of its last frame since when it is old while the read model cannot be read", async () => {
    const parts = await world();
    await using store = parts.store;
    let isAway = false;
    const list: typeof store.list = async (...asked) => {
      if (isAway) throw new Error("Redis does not answer");
      return store.list(...asked);
    };
    const frames: string[] = [];
    const area = createLiveArea({ columns: 120, rows: 40, write: (text) => frames.push(text) });
    await using _tree = startLiveTree({ ...parts, store: { ...store, list } }, area);
    await parts.clock.advance(0);
    isAway = true;
    await parts.clock.advance(5_000);
    expect(frames.at(-1)).toMatch(
      /! nothing below is newer than 2026-01-01T00:00:00.000Z: Redis does not answer\r?\n.*→ start it if it has ended\r?\n.*Cluster default\/c1/s,
    );
    isAway = false;
    await parts.clock.advance(2_000);
    expect(frames.at(-1)).not.toContain("nothing below is newer");
  });

  it("shows what runs again soon, and no timer of months, as before a certificate expires", async () => {
    const parts = await world();
    await using _store = parts.store;
    const shownAt = async (afterMs: number): Promise<string> => {
      const again: ReadHistory = async (...key) => {
        const { lastRun } = await history(...key);
        return lastRun === undefined ? {} : { lastRun: { ...lastRun, waitingFor: "a delay", afterMs } };
      };
      return (await frameOf({ ...parts, history: again }, { columns: 200, rows: 40 })).join("\n");
    };
    expect(await shownAt(20_000)).toContain("machinepool-guard runs again by itself: a delay");
    expect(await shownAt(300 * 86_400_000)).not.toContain("machinepool-guard");
  });

  it("names a root cause once, with the command that heals it, and no function that waits for it", async () => {
    const { store, functions, clock } = await world();
    await using _store = store;
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "FooMachinePool", {
      metadata: { labels: undefined },
    });
    const others = FOO_CRDS.filter(({ spec }) => spec.names.kind !== "FooMachinePool");
    const type = { cluster: "management", group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" };
    for (const each of [unlabelled, ...others]) await store.put(type, [each]);
    await store.advance(type, { ready: true, resourceVersion: "1" });
    const what = "CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooMachinePool";
    const waits: ReadHistory = async (...key) => {
      const { lastRun } = await history(...key);
      return lastRun === undefined ? {} : { lastRun: { ...lastRun, waitingFor: what } };
    };
    const lines = await frameOf({ store, functions, clock, history: waits }, { columns: 80, rows: 40 });
    const text = lines.join("\n").replace(/\n│ {3,}/g, " ");
    expect(text.match(/has no label/g)).toHaveLength(1);
    expect(text).toContain("kubectl label crd foomachinepools.infrastructure.cluster.x-k8s.io");
    expect(text).toContain("FooMachinePool default/p1-infra  cannot be read: see above");
    expect(text).not.toContain("machinepool-guard");
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  it("draws over its last frame when something has changed, and leaves the last one", async () => {
    const parts = await world();
    await using _store = parts.store;
    const frames: string[] = [];
    const area = createLiveArea({ columns: 120, rows: 40, write: (text) => frames.push(text) });
    const tree = startLiveTree(parts, area);
    await parts.clock.advance(0);
    const height = frames[0]?.split("\n").length ?? 0;
    await parts.clock.advance(200);
    expect(frames).toHaveLength(1);
    await parts.store.put(POOLS, [machinePool({ ...version("2"), status: { phase: "Running" } })]);
    tree.changed();
    await parts.clock.advance(200);
    expect(frames).toHaveLength(2);
    expect(frames[1]).toMatch(new RegExp(`^\\r\\u001b\\[${height - 1}A`));
    expect(frames[1]).toContain("Running");
    await tree[Symbol.asyncDispose]();
    expect(frames).toHaveLength(3);
    expect(parts.clock.pending).toBe(0);
  });
});

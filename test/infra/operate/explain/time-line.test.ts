import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../../functions/machinepool/guard.ts";
import { lanesOf, timeLine } from "../../../../infra/operate/explain/time-line.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { RunEntry } from "../../../../shared/runtime/letters/run-history.ts";
import { machinePool } from "../../../support/builders.ts";

const POOL = "MachinePool default/p1";
const MACHINE = "Machine default/m1";

function run(runId: string, endedAt: string, rest: Partial<RunEntry> = {}): RunEntry {
  return { runId, endedAt, durationMs: 1, causes: [], outcome: "ok", writes: [], ...rest };
}

function wrote(what: string, resourceVersion: string) {
  return { writes: [{ verb: "patch", cluster: "management", what, resourceVersion, changes: [] } as const] };
}

/** A user edits the pool; guard writes it; machines follows and makes a Machine, whose function runs and fails. */
const RUNS: Readonly<Record<string, readonly RunEntry[]>> = {
  "machinepool-guard": [
    run("guard", "2026-01-01T12:00:01Z", {
      causes: [{ what: POOL, resourceVersion: "1" }],
      ...wrote(POOL, "2"),
    }),
  ],
  "machinepool-machines": [
    run("idle", "2026-01-01T12:00:09Z", { times: 412, since: "2026-01-01T12:00:03Z" }),
    run("machines", "2026-01-01T12:00:02Z", {
      causes: [{ what: "timer" }, { what: POOL, resourceVersion: "2" }],
      ...wrote(MACHINE, "3"),
    }),
  ],
  "machine-node": [
    run("node", "2026-01-01T12:00:04Z", {
      causes: [{ what: MACHINE, resourceVersion: "3" }],
      outcome: "error",
    }),
  ],
};
const history = { runs: async (name: string) => RUNS[name] ?? [] };
const lanes = [
  { function: "machinepool-guard", key: "default/c1|MachinePool|default/p1" },
  { function: "machinepool-machines", key: "default/c1|MachinePool|default/p1" },
  { function: "machine-node", key: "default/c1|Machine|default/m1" },
];
const idsOf = (runs: readonly { readonly runId: string }[]) => runs.map(({ runId }) => runId);

describe("a time line", () => {
  it("leads from a write to the runs that it caused, and back to the first event", async () => {
    const { items, knownSince } = await timeLine(history, lanes, { limit: 200 });
    expect(idsOf(items)).toEqual(["idle", "node", "machines", "guard"]);
    expect(knownSince).toBe("2026-01-01T12:00:01Z");
    const [, node, machines, guard] = items;
    expect(node?.causedBy).toMatchObject([{ function: "machinepool-machines", runId: "machines" }]);
    expect(machines?.causedBy).toMatchObject([null, { runId: "guard" }]);
    expect(idsOf(machines?.caused ?? [])).toEqual(["node"]);
    expect(guard).toMatchObject({ causedBy: [null], caused: [{ runId: "machines" }] });
  });

  it("is filtered by object, function and outcome, and keeps its links", async () => {
    const ids = async (rest: object) =>
      idsOf((await timeLine(history, lanes, { limit: 200, ...rest })).items);
    expect(await ids({ only: "failed" })).toEqual(["node"]);
    expect(await ids({ only: "wrote" })).toEqual(["machines", "guard"]);
    expect(await ids({ function: "machinepool-machines" })).toEqual(["idle", "machines"]);
    const of = new Set(["default/c1|Machine|default/m1"]);
    const { items } = await timeLine(history, lanes, { limit: 200, of });
    expect(items).toMatchObject([{ runId: "node", causedBy: [{ runId: "machines" }] }]);
  });

  it("is read in pages", async () => {
    const first = await timeLine(history, lanes, { limit: 3 });
    const second = await timeLine(history, lanes, { limit: 3, after: first.next });
    expect([idsOf(first.items), idsOf(second.items)]).toEqual([["idle", "node", "machines"], ["guard"]]);
    expect(second.next).toBeUndefined();
    await expect(timeLine(history, lanes, { limit: 0 })).rejects.toThrow(TypeError);
  });

  it("shows runs that name each other in a ring", async () => {
    const ring = (id: string, from: string, to: string) =>
      run(id, "2026-01-01T12:00:00Z", {
        causes: [{ what: POOL, resourceVersion: from }],
        ...wrote(POOL, to),
      });
    const runs = async (name: string) => (name === "a" ? [ring("x", "1", "2")] : [ring("y", "2", "1")]);
    const { items } = await timeLine(
      { runs },
      ["a", "b"].map((name) => ({ function: name, key: "k" })),
      { limit: 9 },
    );
    expect(items.map(({ runId, causedBy }) => [runId, causedBy[0]?.runId])).toEqual([
      ["x", "y"],
      ["y", "x"],
    ]);
  });

  it("has a lane for each function and object of a tree that are there", () => {
    const kind = MachinePool as unknown as Kind;
    const node = (name: string, isThere: boolean) => ({
      kind,
      key: { namespace: "default", name },
      object: isThere ? machinePool({ metadata: { name } }) : undefined,
      children: [],
      more: [],
    });
    const tree = { ...node("p1", true), children: [node("p2", true), node("gone", false)] };
    expect(lanesOf([machinepoolGuard], tree)).toEqual([
      { function: "machinepool-guard", key: "default/c1|MachinePool|default/p1" },
      { function: "machinepool-guard", key: "default/c1|MachinePool|default/p2" },
    ]);
  });
});

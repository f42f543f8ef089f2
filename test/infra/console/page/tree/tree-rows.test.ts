import { describe, expect, it } from "vitest";
import type { Explained } from "../../../../../infra/console/api/explained.ts";
import {
  markAbove,
  treeRows,
  troublesOf,
  worstOf,
} from "../../../../../infra/console/page/tree/tree-rows.ts";

type ExplainedFunction = Explained["functions"][number];

const fn = (name: string, more: Partial<ExplainedFunction> = {}): ExplainedFunction => ({
  function: name,
  key: "t|Machine|a/b",
  now: { wouldSend: [] },
  ...more,
});
const node = (object: string, more: Partial<Explained> = {}): Explained => ({
  object,
  conditions: [],
  functions: [],
  children: [],
  more: [],
  ...more,
});
const failure = { class: "Transient", reason: "R", message: "m" };
const failing = fn("machine-node", {
  history: { state: { state: "waiting", causes: [], failures: 3, failure } },
});
const dead = fn("machine-drain", {
  deadLetter: {
    ...{
      function: "machine-drain",
      key: "k",
      tenant: "t",
      class: "live",
      reason: "MaxAttempts",
      times: 1,
      error: failure,
    },
    ...{ deadSince: "2026-11-23T00:00:00Z", firstFailureAt: "2026-11-23T00:00:00Z" },
  },
});
const root = node("Cluster a/c", {
  functions: [fn("cluster-status"), fn("cluster-adopt")],
  children: [
    node("Machine a/bad", { functions: [fn("machine-status"), failing, dead] }),
    node("Machine a/good", { functions: [fn("machine-status")], phase: "Running" }),
  ],
  more: [{ kind: "Machine", state: "ready", count: 983 }],
});
const shownRows = (folded: ReadonlyMap<string, boolean> = new Map(), showsIdle = false) =>
  treeRows(root, { folded, showsIdle }).map(
    (row) =>
      `${"  ".repeat(row.level - 1)}${row.type === "object" ? `${row.node.object} ${row.mark}` : row.type === "function" ? row.fn.function : row.type}`,
  );

describe("the outline of an object", () => {
  it("unfolds trouble, keeps healthy objects folded and idle functions out", () => {
    expect(shownRows()).toEqual([
      "Cluster a/c healthy",
      "  Machine a/bad dead",
      "    machine-node",
      "    machine-drain",
      "  Machine a/good healthy",
      "  more",
      "  idle",
    ]);
  });

  it("folds and unfolds as the person wants, and shows idle functions when asked", () => {
    const folded = new Map([
      ["/Cluster a/c/Machine a/bad", false],
      ["/Cluster a/c/Machine a/good", true],
    ]);
    expect(shownRows(folded, true)).toEqual([
      "Cluster a/c healthy",
      "  cluster-status",
      "  cluster-adopt",
      "  Machine a/bad dead",
      "  Machine a/good healthy",
      "    machine-status",
      "  more",
    ]);
  });

  it("lists what failed, letters first", () => {
    expect(troublesOf(root).map(({ fn: each }) => each.function)).toEqual(["machine-drain", "machine-node"]);
    expect(worstOf(root)).toBe("dead");
  });

  it("draws as not known an object whose state is not known", () => {
    expect(
      worstOf(node("Machine a/b", { functions: [fn("f", { now: { wouldSend: [], notListed: true } })] })),
    ).toBe("unknown");
    const condition = { type: "NodeHealthy", status: "Unknown", reason: "", message: "" };
    expect(worstOf(node("Machine a/b", { conditions: [condition] }))).toBe("unknown");
  });

  it("draws no object as well that others wait for, that says nothing about itself, or whose snapshot is old", () => {
    const waitsFor = { what: "InfraCluster.status.ready", object: "FooCluster a/c" };
    const old = node("Machine a/old", {
      functions: [fn("f", { now: { wouldSend: [], old: "o" } })],
      old: "o",
    });
    const functions = [fn("cluster-sync", { now: { wouldSend: [], waitsFor } })];
    const children = [node("FooCluster a/c"), node("FooMachineTemplate a/t"), old];
    const view = { folded: new Map(), showsIdle: false };
    const rows = treeRows(node("Cluster a/c", { functions, children }), view);
    expect(rows.flatMap((row) => (row.type === "object" ? [row.mark] : []))).toEqual([
      "waiting",
      "waiting",
      "silent",
      "unknown",
    ]);
    expect(treeRows(old, view).at(-1)).toMatchObject({ type: "idle", isKnown: false });
  });

  it("puts no better mark above a page than what the page lists", () => {
    const said = { object: "o", cause: "m", next: "", severity: "broken", consequences: 0 } as const;
    const cause = { about: "connection", ...said } as const;
    expect([
      markAbove(["healthy"], [cause]),
      markAbove(["dead"], [cause]),
      markAbove(["healthy"], []),
    ]).toEqual(["unreachable", "dead", "healthy"]);
  });
});

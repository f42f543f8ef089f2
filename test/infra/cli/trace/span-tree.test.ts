import { describe, expect, it } from "vitest";
import type { ReadSpan } from "../../../../infra/cli/trace/read-spans.ts";
import { clustersIn, spanTree } from "../../../../infra/cli/trace/span-tree.ts";
import { drawTree } from "../../../../infra/cli/tree/draw-tree.ts";

const START = Date.parse("2026-11-23T10:00:00Z");
const KEY = "default/c1|MachinePool|default/p1";

interface Given {
  readonly id: string;
  readonly parent?: string;
  readonly trace?: string;
  readonly name: string;
  readonly at: number;
  readonly for?: number;
  readonly links?: readonly string[];
  readonly error?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

function spanOf({ id, parent, trace = "t1", at, for: durationMs = 0, ...given }: Given): ReadSpan {
  return {
    links: [],
    error: undefined,
    ...given,
    traceId: trace,
    spanId: id,
    parentSpanId: parent,
    startMs: START + at,
    endMs: START + at + durationMs,
  };
}

const eventOf = (id: string, at: number, more: Readonly<Record<string, string>> = {}) => ({
  id,
  at,
  name: "event MachinePool",
  links: [`write-${id}`],
  attributes: {
    "capstan.tenant": "default/c1",
    "capstan.object": "MachinePool default/p1",
    "capstan.change": "modified",
    ...more,
  },
});
const runOf = (id: string, parent: string, at: number) => [
  spanOf({
    id: `w${id}`,
    parent,
    at: at - 5,
    for: 5,
    name: "wait machinepool-guard",
    attributes: { "capstan.key": KEY },
  }),
  spanOf({ id, parent, at, for: 8, name: "machinepool-guard", attributes: { "capstan.key": KEY } }),
];
const writeOf = (event: string, run: string, at: number, more: Readonly<Record<string, string>> = {}) =>
  spanOf({
    id: `write-${event}`,
    parent: run,
    at,
    for: 4,
    name: "patch MachinePool",
    attributes: {
      "capstan.audit_id": run,
      "capstan.object": "MachinePool default/p1",
      "http.response.status_code": "200",
      ...more,
    },
  });

const linesOf = (spans: readonly ReadSpan[], cluster = "default/c1") => {
  const tree = spanTree(spans, cluster);
  return tree && drawTree(tree);
};

describe("spans as a tree", () => {
  it("lead from a change of a user through runs and writes to the runs that these have woken", () => {
    const spans = [
      spanOf(eventOf("e1", 0, { "capstan.change": "added" })),
      ...runOf("r1", "e1", 60),
      writeOf("e2", "r1", 62),
      spanOf(eventOf("e2", 70)),
      ...runOf("r2", "e2", 80),
      writeOf("e3", "r2", 82, { "capstan.phase": "Running" }),
      spanOf(eventOf("e3", 90)),
      ...runOf("r3", "e3", 95),
    ];
    expect(linesOf(spans.toReversed())).toEqual([
      "default/c1, trace t1, 2026-11-23T10:00:00.000Z",
      "└─ +0 ms MachinePool default/p1 added",
      "   └─ +60 ms machinepool-guard: waited 5 ms, ran 8 ms",
      "      └─ patch MachinePool default/p1: 200 after 4 ms",
      "         └─ +80 ms machinepool-guard: waited 5 ms, ran 8 ms",
      "            └─ patch MachinePool default/p1: 200 after 4 ms, phase Running, 1 run without a write",
    ]);
  });

  it("follow a write into the trace of another Cluster", () => {
    const other = { ...eventOf("e2", 70, { "capstan.tenant": "default/-" }), trace: "t2" };
    const [, run] = runOf("r2", "e2", 80);
    const spans = [
      spanOf(eventOf("e1", 0)),
      ...runOf("r1", "e1", 60),
      writeOf("e2", "r1", 62),
      spanOf(other),
      { ...(run as ReadSpan), traceId: "t2", error: "Odd: no" },
    ];
    expect(linesOf(spans)?.slice(-2)).toEqual([
      "      └─ patch MachinePool default/p1: 200 after 4 ms",
      "         └─ +80 ms machinepool-guard: ran 8 ms, failed: Odd: no",
    ]);
    expect(linesOf(spans, "default/-")).toBeUndefined();
    expect(clustersIn(spans)).toEqual(["default/c1", "default/-"]);
  });

  it("show what a run of another Cluster has led to, in its place", () => {
    const [, foreign] = runOf("r9", "gone", 30);
    const spans = [
      spanOf(eventOf("e1", 0)),
      { ...(foreign as ReadSpan), traceId: "t2", attributes: { "capstan.key": "default/-|X|default/x" } },
      { ...writeOf("e2", "r9", 32), traceId: "t2" },
      spanOf(eventOf("e2", 40)),
      ...runOf("r2", "e2", 50),
      writeOf("e3", "r2", 52),
      spanOf(eventOf("e4", 60)),
    ];
    expect(linesOf(spans)).toEqual([
      "default/c1, trace t1, 2026-11-23T10:00:00.000Z",
      "├─ +0 ms MachinePool default/p1 modified",
      "├─ +40 ms MachinePool default/p1 modified",
      "│  └─ +50 ms machinepool-guard: waited 5 ms, ran 8 ms",
      "│     └─ patch MachinePool default/p1: 200 after 4 ms",
      "└─ +60 ms MachinePool default/p1 modified",
    ]);
  });

  it("that lead back to themselves, or very deep, are drawn once and cut", () => {
    const circle = [spanOf(eventOf("e1", 0)), ...runOf("r1", "e1", 1), writeOf("e1", "r1", 2)];
    expect(linesOf(circle)).toBeUndefined();
    const [root, ...below] = Array.from({ length: 3_000 }, (_, at) => at);
    const chain = [
      spanOf(eventOf(`e${root}`, 0)),
      ...below.flatMap((at) => [
        ...runOf(`r${at}`, `e${at - 1}`, at),
        writeOf(`e${at}`, `r${at}`, at),
        spanOf(eventOf(`e${at}`, at)),
      ]),
    ];
    expect(linesOf(chain)?.length).toBeLessThan(200);
  });

  it("begin with runs of which no event is known, and show foreign text in one line", () => {
    const [, run] = runOf("r1", "gone", 0);
    const spans = [{ ...(run as ReadSpan), error: "Odd: a\u001b[31m\nb" }];
    expect(linesOf(spans)?.[1]).toBe("└─ +0 ms machinepool-guard: ran 8 ms, failed: Odd: a\\u001b[31m\\nb");
  });
});

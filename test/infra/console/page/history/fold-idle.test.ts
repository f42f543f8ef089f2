import { describe, expect, it } from "vitest";
import type { Run } from "../../../../../infra/console/api/runs.ts";
import { foldIdle } from "../../../../../infra/console/page/history/fold-idle.ts";
import { run } from "./run.ts";

const write: Run["writes"][number] = {
  verb: "apply",
  cluster: "management",
  what: "Machine a/b",
  changes: [],
};
const wrote = run("f", "w1", { writes: [write] });
const idle = [run("f", "i1"), run("g", "i2", { times: 411 })];
const shown = (runs: readonly Run[], unfolded: readonly string[] = []) =>
  foldIdle(runs, new Set(unfolded)).map((row) =>
    row.type === "run" ? row.run.runId : `${row.id}: ${row.times}`,
  );

describe("idle runs", () => {
  it("next to each other are one row that says how many they are, until a person unfolds it", () => {
    expect(shown([...idle, wrote])).toEqual(["idle g i2: 412", "w1"]);
    expect(shown([...idle, wrote], ["idle g i2"])).toEqual(["i1", "i2", "w1"]);
  });

  it("a run that wrote, failed, waits or comes again is never folded, nor is a single idle one", () => {
    const others = [
      wrote,
      run("f", "e", { outcome: "error" }),
      run("f", "a", { outcome: "again" }),
      run("f", "t", { waitingFor: "Cluster.status" }),
      run("f", "r", { afterMs: 5_000 }),
    ];
    expect(shown(others.flatMap((each, at) => [each, run("f", `i${at}`)]))).toEqual([
      ...["w1", "i0", "e", "i1", "a", "i2", "t", "i3", "r", "i4"],
    ]);
    expect(shown([])).toEqual([]);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { stepping } from "../defects/defect.ts";
import { type Prepared, prepare } from "../play/prepared.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { goldenDiff, playGolden, readGolden } from "./golden.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

describe("golden references", () => {
  for (const workload of WORKLOADS) {
    it(`${workload.number} ${workload.title}: state, history and requests are as reviewed`, async () => {
      const { text, violations } = await playGolden(workload, prepared);
      expect(violations).toEqual([]);
      const difference = goldenDiff(await readGolden(workload), text);
      expect(difference, "npm run simulate -- golden --renew").toEqual([]);
    });
  }

  it("D-31: shows an owner reference that is marked controller in every run", async () => {
    const workload = workloadOf("W-01");
    const functions = prepared.functions.map(markingController);
    const { text } = await playGolden(workload, { ...prepared, functions });
    expect(goldenDiff(await readGolden(workload), text)).toContain("+           controller: true");
  });
});

describe("the difference of two references", () => {
  it("is empty when nothing differs", () => {
    expect(goldenDiff("a\nb", "a\nb")).toEqual([]);
  });

  it("shows what was reviewed, what was found, and three lines around", () => {
    const committed = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].join("\n");
    expect(goldenDiff(committed, committed.replace("5", "five"))).toEqual([
      ...["…", "  2", "  3", "  4"],
      ...["- 5", "+ five"],
      ...["  6", "  7", "  8"],
    ]);
  });
});

/** The guard of pools, with a Cluster owner reference that is marked controller. */
function markingController(fn: AnyFunction): AnyFunction {
  if (fn.spec.name !== "machinepool-guard") return fn;
  const mark = (_: string, value: unknown): unknown =>
    Object(value).kind === "Cluster" ? { ...Object(value), controller: true } : value;
  return stepping(fn, async (object, context) => {
    const decision = await fn.step(object, context);
    const patch = decision.patch?.map((each) => ({
      ...each,
      operations: JSON.parse(JSON.stringify(each.operations), mark),
    }));
    return patch === undefined ? decision : { ...decision, patch };
  });
}

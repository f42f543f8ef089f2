import { beforeAll, describe, expect, it } from "vitest";
import type { AnyDecision, AnyFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import { deciding } from "../defects/steps.ts";
import { type Prepared, prepare } from "../play/prepared.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { type Examples, goldenDiff, playGolden, readExamples, readGolden } from "./golden.ts";

let prepared: Prepared;
let examples: Examples;
beforeAll(async () => {
  prepared = await prepare();
  examples = { examples: await readExamples(), mayAdd: false };
});

describe("stories", () => {
  for (const workload of WORKLOADS) {
    it(`${workload.number} ${workload.title}: what is done, and how it ends, is as reviewed`, async () => {
      const { text, violations } = await playGolden(workload, prepared, { examples });
      expect(violations).toEqual([]);
      const difference = goldenDiff(await readGolden(workload), text);
      expect(difference, "npm run simulate -- golden --renew").toEqual([]);
    });
  }

  it("D-31: shows an owner reference that is marked controller in every run", async () => {
    const marking = changing("machinepool-guard", (decision) => JSON.parse(JSON.stringify(decision), marked));
    expect(await differenceWith("W-01", marking)).toContainEqual(expect.stringContaining("controller true"));
  });

  it("shows one request more", async () => {
    const more = changing("cluster-status", (decision) => ({
      ...decision,
      events: [...(decision.events ?? []), MORE],
    }));
    expect(await differenceWith("W-01", more)).toContainEqual(expect.stringContaining("More Cluster c1"));
  });

  it("shows another order of the same requests", async () => {
    const reversing = changing("machineset-machines", (decision) => ({
      ...decision,
      create:
        decision.create?.map((made) => ({ ...made, dependents: made.dependents?.toReversed() ?? [] })) ?? [],
    }));
    expect(await differenceWith("W-22", reversing)).toContainEqual(
      expect.stringContaining("simmachines, simbootstrapconfigs"),
    );
  });

  it("shows that a function is not woken again in time", async () => {
    const forgetting = changing("machinepool-status", (decision) =>
      decision.result.type === "requeue" ? { ...decision, result: done } : decision,
    );
    expect(await differenceWith("W-15", forgetting)).not.toEqual([]);
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

const MORE = { type: "Normal", reason: "More", message: "" } as const;

type Change = (decision: AnyDecision) => AnyDecision;

/** Functions of which one decides otherwise. */
function changing(name: string, change: Change): (fn: AnyFunction) => AnyFunction {
  return (fn) => deciding(fn, name, change);
}

/** Lines of a story that differ when functions are changed. */
async function differenceWith(number: string, change: (fn: AnyFunction) => AnyFunction) {
  const workload = workloadOf(number);
  const functions = prepared.functions.map(change);
  const { text } = await playGolden(workload, { ...prepared, functions }, { examples });
  return goldenDiff(await readGolden(workload), text);
}

/** A reference to a Cluster that says that it is the controller. */
function marked(_: string, value: unknown): unknown {
  return Object(value).kind === "Cluster" ? { ...Object(value), controller: true } : value;
}

import { describe, expect, it } from "vitest";
import { poolGuardPatch } from "../../../../functions/machinepool/rules/guard.ts";
import { poolViolations } from "../../../../functions/machinepool/rules/violations.ts";
import { cluster, machinePool } from "../../../support/builders.ts";

const MIN = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
const MAX = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
const unsized = (annotations: { readonly [key: string]: string } | undefined) =>
  machinePool({ metadata: { annotations }, spec: { replicas: undefined } });

describe("the defaults of a pool", () => {
  it.each([
    ["no annotations", undefined, 1],
    ["only the minimum", { [MIN]: "4" }, 1],
    ["only the maximum", { [MAX]: "9" }, 1],
    ["both", { [MIN]: "4", [MAX]: "9" }, 4],
    ["a minimum of zero", { [MIN]: "0", [MAX]: "9" }, 0],
  ])("take replicas from %s", (_, annotations, value) => {
    expect(poolGuardPatch(unsized(annotations), cluster())).toEqual([
      { op: "add", path: "/spec/replicas", value },
    ]);
  });

  it.each([
    ["words", { [MIN]: "few", [MAX]: "9" }],
    ["nothing", { [MIN]: "", [MAX]: "9" }],
  ])("leave replicas absent and report sizes that are %s", (_, annotations) => {
    expect(poolGuardPatch(unsized(annotations), cluster())).toEqual([]);
    expect(poolViolations(unsized(annotations)).map(({ reason }) => reason)).toEqual(["InvalidSpec"]);
  });

  it("never replace a timeout of 0 or replicas of 0", () => {
    const pool = machinePool({
      spec: { replicas: 0, template: { spec: { deletion: { nodeDeletionTimeoutSeconds: 0 } } } },
    });
    expect(poolGuardPatch(pool, cluster())).toEqual([]);
  });
});

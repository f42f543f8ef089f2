import { describe, expect, it } from "vitest";
import { poolHold } from "../../../../functions/machinepool/rules/hold.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";
import { cluster, machinePool } from "../../../support/builders.ts";

describe("poolHold", () => {
  it.each([
    ["nothing holds a guarded pool", machinePool(), cluster(), undefined],
    ["no Cluster", machinePool(), undefined, waitFor("Cluster.metadata.uid")],
    ["a paused Cluster", machinePool(), cluster({ spec: { paused: true } }), waitFor("Cluster.spec.paused")],
    [
      "its own annotation",
      machinePool({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      cluster(),
      waitFor("MachinePool.metadata.annotations[cluster.x-k8s.io/paused]"),
    ],
    [
      "no finalizer",
      machinePool({ metadata: { finalizers: ["other"] } }),
      cluster(),
      waitFor("MachinePool.metadata.finalizers"),
    ],
    ["deletion", machinePool({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }), cluster(), done],
  ])("%s", (_, pool, of, hold) => {
    expect(poolHold(pool, of)).toEqual(hold);
  });
});

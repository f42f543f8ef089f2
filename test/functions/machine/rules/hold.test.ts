import { describe, expect, it } from "vitest";
import { machineHold } from "../../../../functions/machine/rules/hold.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";
import { cluster, machine } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";

describe("machineHold", () => {
  it.each([
    ["nothing holds a guarded Machine", soloMachine(), cluster(), undefined],
    ["no Cluster", soloMachine(), undefined, waitFor("Cluster.metadata.uid")],
    ["a paused Cluster", soloMachine(), cluster({ spec: { paused: true } }), waitFor("Cluster.spec.paused")],
    [
      "its own annotation",
      soloMachine({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      cluster(),
      waitFor("Machine.metadata.annotations[cluster.x-k8s.io/paused]"),
    ],
    [
      "no finalizer, as a pool makes its Machines",
      machine(),
      cluster(),
      waitFor("Machine.metadata.finalizers"),
    ],
    ["deletion", soloMachine({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }), cluster(), done],
  ])("%s", (_, machineOf, of, hold) => {
    expect(machineHold(machineOf, of)).toEqual(hold);
  });
});

import { describe, expect, it } from "vitest";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { machineSet } from "../../support/foo-sets.ts";
import { changed } from "./manifests.ts";

const time = "2026-11-21T03:00:00Z";
const status = {
  conditions: [
    { type: "Paused", status: "False", reason: "NotPaused", message: "", lastTransitionTime: time },
  ],
  selector: "a=b",
  replicas: 3,
  readyReplicas: 2,
  availableReplicas: 1,
  upToDateReplicas: 3,
  versions: [{ version: "v1.34.2", replicas: 3 }],
  observedGeneration: 2,
  deprecated: { v1beta1: { fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 1 } },
};

describe("MachineSet", () => {
  it("keeps a complete spec and status", () => {
    const spec = {
      deletion: { order: "Newest" as const },
      machineNaming: { template: "m-{{ .random }}" },
      template: { spec: { version: "v1.34.0", failureDomain: "z1" } },
    };
    const object = changed(machineSet({ spec }), "status", status);
    expect(MachineSet.schema?.().parse(object)).toEqual(object);
  });

  it.each([
    ["without a Cluster name", "spec/clusterName", undefined],
    ["without a selector", "spec/selector", undefined],
    ["without a template", "spec/template", undefined],
    ["with deletion settings that set nothing", "spec/deletion", {}],
    ["with an unknown order", "spec/deletion", { order: "Youngest" }],
    ["with naming that sets nothing", "spec/machineNaming", {}],
    ["with replicas as text", "spec/replicas", "3"],
    ["with an empty status", "status", {}],
    ["with an empty selector text", "status", { selector: "" }],
  ])("is refused %s", (_, pointer, value) => {
    expect(MachineSet.schema?.().safeParse(changed(machineSet(), pointer, value)).success).toBe(false);
  });
});

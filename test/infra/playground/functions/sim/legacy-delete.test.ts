import { describe, expect, it } from "vitest";
import { simLegacyDelete } from "../../../../../infra/playground/functions/sim/legacy-delete.ts";
import { waitFor } from "../../../../../shared/function/result.ts";
import {
  controlPlaneMachine,
  domainCluster,
  legacyControlPlane,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

const going = legacyControlPlane({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });

describe("sim-legacy-delete", () => {
  it("deletes the Machines that it controls, no other's, then lets itself go", async () => {
    const owner = {
      apiVersion: "controlplane.sim.capstan.dev/v1beta1",
      kind: "SimControlPlaneLegacy",
      name: "cp",
      uid: "uid-cp",
      controller: true,
    };
    const own = controlPlaneMachine("cp-1", { metadata: { ownerReferences: [owner] } });
    const foreign = controlPlaneMachine("cp-2");
    const world = given(domainCluster(), going, own, foreign);
    const { delete: deleted, result } = await decide(simLegacyDelete, world);
    expect(deleted?.map(({ target }) => target.name)).toEqual(["cp-1"]);
    expect(result).toEqual(waitFor("Machine deleted"));
    const { patch } = await decide(simLegacyDelete, world.without(own));
    expect(patch?.[0]?.target.kind.kind).toBe("SimControlPlaneLegacy");
  });
});

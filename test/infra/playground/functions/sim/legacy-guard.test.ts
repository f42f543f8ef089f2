import { describe, expect, it } from "vitest";
import { simLegacyGuard } from "../../../../../infra/playground/functions/sim/legacy-guard.ts";
import { done } from "../../../../../shared/function/result.ts";
import {
  CONTROL_PLANE_FINALIZER,
  domainCluster,
  legacyControlPlane,
  simServer,
  TEMPLATES,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

describe("sim-legacy-guard", () => {
  it("adds the finalizer to an object of its own kind", async () => {
    const bare = legacyControlPlane({ metadata: { finalizers: undefined } });
    const { patch } = await decide(simLegacyGuard, given(domainCluster(), bare));
    expect(patch).toMatchObject([
      {
        target: { kind: { kind: "SimControlPlaneLegacy", version: "v1beta1" } },
        operations: [{ op: "add", path: "/metadata/finalizers", value: [CONTROL_PLANE_FINALIZER] }],
      },
    ]);
  });

  it("has nothing to write when all is as wanted", async () => {
    const world = given(domainCluster(), legacyControlPlane(), simServer(), ...TEMPLATES);
    expect(await decide(simLegacyGuard, world)).toEqual({ patch: [], result: done });
  });
});

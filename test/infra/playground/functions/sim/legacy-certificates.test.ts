import { describe, expect, it } from "vitest";
import { simLegacyCertificates } from "../../../../../infra/playground/functions/sim/legacy-certificates.ts";
import { waitFor } from "../../../../../shared/function/result.ts";
import { cluster } from "../../../../support/builders.ts";
import { legacyControlPlane, simServer } from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

describe("sim-legacy-certificates", () => {
  it("makes certificates and kubeconfig as for the newer contract, owned by the older kind", async () => {
    const object = legacyControlPlane({ status: undefined });
    const { issue = [], apply } = await decide(simLegacyCertificates, given(cluster(), object, simServer()));
    expect(issue.map(({ secret }) => secret.name)).toEqual([
      "c1-ca",
      "c1-etcd",
      "c1-proxy",
      "c1-sa",
      "c1-kubeconfig",
    ]);
    expect(
      new Set(issue.map(({ owner }) => `${owner.apiVersion} ${owner.kind} ${owner.controller}`)),
    ).toEqual(new Set(["controlplane.sim.capstan.dev/v1beta1 SimControlPlaneLegacy true"]));
    expect(apply).toEqual({ "status.certificates": { ready: true } });
  });

  it("waits for its owner", async () => {
    const object = legacyControlPlane({ metadata: { ownerReferences: [] } });
    expect(await decide(simLegacyCertificates, given(cluster(), object))).toEqual({
      result: waitFor("SimControlPlaneLegacy.metadata.ownerReferences"),
    });
  });
});

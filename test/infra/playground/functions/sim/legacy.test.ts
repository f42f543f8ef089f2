import { describe, expect, it } from "vitest";
import { simLegacy } from "../../../../../infra/playground/functions/sim/legacy.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { waitFor } from "../../../../../shared/function/result.ts";
import {
  controlPlaneMachine,
  domainCluster,
  legacyControlPlane,
  simServer,
  stored,
  TEMPLATES,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

const OWNER = {
  apiVersion: "controlplane.sim.capstan.dev/v1beta1",
  kind: "SimControlPlaneLegacy",
  name: "cp",
  uid: "uid-cp",
  controller: true,
  blockOwnerDeletion: true,
};

function world(...objects: readonly KubeObject[]) {
  return given(domainCluster(), legacyControlPlane(), simServer(), ...TEMPLATES, ...objects);
}

describe("sim-legacy", () => {
  it("waits for the owner reference of the Cluster", async () => {
    const orphan = legacyControlPlane({ metadata: { ownerReferences: [] } });
    expect(await decide(simLegacy, world(orphan))).toEqual({
      result: waitFor("SimControlPlaneLegacy.metadata.ownerReferences"),
    });
  });

  it("reports in the fields of the contract v1beta1, initialized and ready together", async () => {
    const machine = controlPlaneMachine("cp-1", { metadata: { ownerReferences: [OWNER] } });
    const { apply } = await decide(
      simLegacy,
      world(
        legacyControlPlane({ status: { initialized: undefined, certificates: { ready: true } } }),
        machine,
      ),
    );
    expect(apply).toMatchObject({
      "status.initialized": true,
      "status.ready": true,
      "status.selector": "cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/control-plane",
      "status.replicas": 1,
      "status.readyReplicas": 1,
      "status.updatedReplicas": 1,
      "status.unavailableReplicas": 2,
      "status.version": "v1.34.2",
      "status.externalManagedControlPlane": undefined,
    });
  });

  it("gives its conditions severities, and Ready the value of Available", async () => {
    const { apply } = await decide(simLegacy, world(simServer({ status: { ready: false } })));
    expect(apply?.["status.conditions"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", severity: "Warning" }),
        expect.objectContaining({ type: "Available", status: "False", severity: "Info" }),
      ]),
    );
  });

  it("is the same again on its own report", async () => {
    const conditions = [{ ...stored("Ready", "False"), severity: "Warning" }];
    const { apply } = await decide(simLegacy, world(legacyControlPlane({ status: { conditions } })));
    const reported = (apply?.["status.conditions"] ?? []) as readonly { readonly type: string }[];
    expect(reported.filter(({ type }) => type === "Ready")).toHaveLength(1);
  });
});

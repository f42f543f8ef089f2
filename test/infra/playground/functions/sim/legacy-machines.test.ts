import { describe, expect, it } from "vitest";
import { simControlplaneMachines } from "../../../../../infra/playground/functions/sim/controlplane-machines.ts";
import { simLegacyMachines } from "../../../../../infra/playground/functions/sim/legacy-machines.ts";
import { failed, waitFor } from "../../../../../shared/function/result.ts";
import {
  domainCluster,
  legacyControlPlane,
  machinesControlPlane,
  TEMPLATES,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

const RESERVED = { "capstan.dev/machine-reservation": '["cp-aaaaa"]' };

describe("sim-legacy-machines", () => {
  it("makes the same Machine as its newer sibling, with the durations as seconds", async () => {
    const machineTemplate = {
      metadata: { labels: { tier: "gold" } },
      nodeDrainTimeout: "1m30s",
      nodeVolumeDetachTimeout: "10m",
    };
    const legacy = legacyControlPlane({ metadata: { annotations: RESERVED }, spec: { machineTemplate } });
    const deletion = { nodeDrainTimeoutSeconds: 90, nodeVolumeDetachTimeoutSeconds: 600 };
    const newer = machinesControlPlane({
      metadata: { annotations: RESERVED },
      spec: { machineTemplate: { metadata: { labels: { tier: "gold" } }, spec: { deletion } } },
    });
    const [ours, theirs] = await Promise.all([
      decide(simLegacyMachines, given(domainCluster(), legacy, ...TEMPLATES)),
      decide(simControlplaneMachines, given(domainCluster(), newer, ...TEMPLATES)),
    ]);
    const [made] = ours.create ?? [];
    expect(made?.object).toEqual({
      ...theirs.create?.[0]?.object,
      metadata: {
        ...theirs.create?.[0]?.object.metadata,
        ownerReferences: [
          expect.objectContaining({
            apiVersion: "controlplane.sim.capstan.dev/v1beta1",
            kind: "SimControlPlaneLegacy",
          }),
        ],
      },
    });
    expect(made?.object).toMatchObject({
      spec: { deletion: { nodeDrainTimeoutSeconds: 90, nodeDeletionTimeoutSeconds: 10 } },
    });
  });

  it("fails for a template in another Namespace, which the newer contract cannot express", async () => {
    const infrastructureRef = { namespace: "elsewhere" };
    const legacy = legacyControlPlane({ spec: { machineTemplate: { infrastructureRef } } });
    const { result } = await decide(simLegacyMachines, given(domainCluster(), legacy, ...TEMPLATES));
    expect(result).toEqual(failed("InvalidSpec", expect.stringContaining("infrastructureRef.namespace")));
  });

  it("waits for its own initialized", async () => {
    const legacy = legacyControlPlane({ metadata: { finalizers: [] } });
    expect((await decide(simLegacyMachines, given(domainCluster(), legacy))).result).toEqual(
      waitFor("SimControlPlaneLegacy.metadata.finalizers"),
    );
  });
});

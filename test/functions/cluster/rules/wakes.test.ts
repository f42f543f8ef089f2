import { describe, expect, it } from "vitest";
import {
  clusterOfControlPlane,
  clusterOfMachine,
  clusterOfTroubled,
} from "../../../../functions/cluster/rules/wakes.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { ToKeys } from "../../../../shared/function/define-function.ts";
import { machine, machineCondition, machinePool } from "../../../support/builders.ts";

const MEMBER = { namespace: "default", name: "c1", tenant: "default/-" };

async function wakes(mapping: ToKeys, object: KubeObject): Promise<boolean> {
  const found = await mapping({ object, cluster: "management" }, Cluster, {
    find: async () => [MEMBER],
    get: async () => undefined,
  });
  return found.length > 0;
}

const pooled = machine("m1", {
  status: { conditions: [machineCondition("Ready", "False", "NotReady")] },
});
const labels = (more: object) => ({ "cluster.x-k8s.io/cluster-name": "c1", ...more });
const alone = { ...pooled, metadata: { ...pooled.metadata, labels: labels({}) } };
const controlPlane = {
  ...pooled,
  metadata: { ...pooled.metadata, labels: labels({ "cluster.x-k8s.io/control-plane": "" }) },
};

describe("a change wakes the Cluster", () => {
  it("of a Machine without pool", async () => {
    expect(await wakes(clusterOfMachine, alone)).toBe(true);
    expect(await wakes(clusterOfMachine, pooled)).toBe(false);
  });

  it("of the Node of a control plane Machine", async () => {
    expect(await wakes(clusterOfControlPlane, controlPlane)).toBe(true);
    expect(await wakes(clusterOfControlPlane, alone)).toBe(false);
  });

  it.each([
    ["Ready", "False", true],
    ["Ready", "Unknown", true],
    ["Ready", "True", false],
    ["ScalingUp", "True", true],
    ["ScalingUp", "False", false],
    ["Other", "False", false],
  ] as const)("by a message only where a condition is not good: %s %s", async (type, status, expected) => {
    const conditions = [machineCondition(type, status, "Reason")];
    expect(await wakes(clusterOfTroubled, { ...alone, status: { conditions } } as KubeObject)).toBe(expected);
    expect(await wakes(clusterOfTroubled, machinePool({ status: { conditions } }))).toBe(expected);
  });

  it("not by a message of a Machine that its pool speaks for", async () => {
    expect(await wakes(clusterOfTroubled, pooled)).toBe(false);
  });
});

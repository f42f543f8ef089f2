import { describe, expect, it } from "vitest";
import { simAutoscaler } from "../../../../../infra/playground/functions/sim/autoscaler.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { cluster, machinePool, type Overrides } from "../../../../support/builders.ts";
import { simMachinePool } from "../../../../support/sim.ts";
import { decide, given } from "../../../../support/world.ts";

const MANAGED = { "cluster.x-k8s.io/replicas-managed-by": "" };
const READY = simMachinePool({ status: { ready: true, replicas: 4 } });

function pool(overrides: Overrides<ReturnType<typeof machinePool>> = {}) {
  return machinePool({ metadata: { annotations: MANAGED }, ...overrides });
}

describe("sim-autoscaler", () => {
  it("copies the number of instances into spec.replicas of a MachinePool that leaves it to others", async () => {
    const { patch } = await decide(simAutoscaler, given(cluster(), pool(), READY));
    expect(patch).toMatchObject([
      {
        target: { name: "p1", uid: "uid-p1", resourceVersion: "20" },
        operations: [{ op: "add", path: "/spec/replicas", value: 4 }],
      },
    ]);
  });

  it("writes nothing when the number is right", async () => {
    const { patch } = await decide(simAutoscaler, given(cluster(), pool({ spec: { replicas: 4 } }), READY));
    expect(patch?.[0]?.operations).toEqual([]);
  });

  it("never touches a MachinePool without the annotation, with false, or in deletion", async () => {
    const others = [
      machinePool(),
      machinePool({ metadata: { annotations: { "cluster.x-k8s.io/replicas-managed-by": "false" } } }),
      pool({ metadata: { annotations: MANAGED, deletionTimestamp: "2026-01-01T11:59:00Z" } }),
    ];
    for (const other of others) {
      expect(await decide(simAutoscaler, given(cluster(), other, READY))).toEqual({ result: done });
    }
  });

  it("waits until the instances are ready, and while the Cluster is paused", async () => {
    const booting = simMachinePool({ status: { ready: false, replicas: 0 } });
    expect(await decide(simAutoscaler, given(cluster(), pool(), booting))).toEqual({
      result: waitFor("SimMachinePool.status.replicas"),
    });
    expect(await decide(simAutoscaler, given(cluster({ spec: { paused: true } }), pool(), READY))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
  });
});

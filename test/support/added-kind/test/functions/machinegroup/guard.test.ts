import { describe, expect, it } from "vitest";
import { machinegroupGuard } from "../../../functions/machinegroup/guard.ts";
import type { MachineGroup } from "../../../shared/api/machinegroup.ts";

const group: MachineGroup = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachineGroup",
  metadata: { name: "g1", namespace: "default", uid: "uid-g1", resourceVersion: "1" },
  spec: { clusterName: "c1" },
};

describe("machinegroup-guard", () => {
  it("holds a MachineGroup", async () => {
    expect(await machinegroupGuard.step(group, {} as never)).toMatchObject({
      patch: [{ target: { name: "g1" }, operations: [{ op: "add" }] }],
    });
  });
});

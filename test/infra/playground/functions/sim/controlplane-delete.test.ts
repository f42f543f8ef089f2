import { describe, expect, it } from "vitest";
import { simControlplaneDelete } from "../../../../../infra/playground/functions/sim/controlplane-delete.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { machine, machinePool } from "../../../../support/builders.ts";
import {
  controlPlaneMachine,
  domainCluster,
  machinesControlPlane,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const going = machinesControlPlane({ metadata: { deletionTimestamp: DELETED } });

function world(...objects: readonly KubeObject[]) {
  return given(domainCluster(), going, ...objects);
}

describe("sim-controlplane-delete", () => {
  it("does nothing while it lives", async () => {
    expect(await decide(simControlplaneDelete, world(machinesControlPlane()))).toEqual({ result: done });
  });

  it("waits for the workers, also those that no snapshot shows yet", async () => {
    const machines = [controlPlaneMachine("cp-1"), controlPlaneMachine("cp-2")];
    const worker = machine("w1", { metadata: { labels: { "cluster.x-k8s.io/cluster-name": "c1" } } });
    expect(await decide(simControlplaneDelete, world(...machines).live(worker))).toEqual({
      result: waitFor("Machine deleted"),
    });
    expect(await decide(simControlplaneDelete, world(...machines, machinePool()))).toEqual({
      result: waitFor("MachinePool deleted"),
    });
  });

  it("deletes all of its Machines at once, none twice, and lets itself go when the server has none", async () => {
    const second = controlPlaneMachine("cp-2", { metadata: { deletionTimestamp: DELETED } });
    const to = world(controlPlaneMachine("cp-1"), second, controlPlaneMachine("cp-3"));
    const { delete: deleted, patch } = await decide(simControlplaneDelete, to);
    expect(deleted?.map(({ target }) => target.name)).toEqual(["cp-1", "cp-3"]);
    expect(patch).toBeUndefined();
    const empty = await decide(simControlplaneDelete, world());
    expect(empty.patch?.[0]?.operations).toContainEqual({ op: "remove", path: "/metadata/finalizers/0" });
  });

  it("goes at once when no Cluster has adopted it", async () => {
    const alone = machinesControlPlane({ metadata: { deletionTimestamp: DELETED, labels: undefined } });
    const { patch } = await decide(simControlplaneDelete, given(alone));
    expect(patch).toHaveLength(1);
  });
});

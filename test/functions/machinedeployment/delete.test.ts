import { describe, expect, it } from "vitest";
import { machinedeploymentDelete } from "../../../functions/machinedeployment/delete.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { machineDeployment, OWNED_BY_D1, setOfDeployment } from "../../support/foo-deployments.ts";
import { decide, given } from "../../support/world.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const DEPLOYMENT = machineDeployment(GOING);
const RELEASE = {
  patch: [
    {
      target: expect.objectContaining({ name: "d1", uid: "uid-d1", resourceVersion: "30" }),
      operations: [
        { op: "test", path: "/metadata/finalizers/0", value: "cluster.x-k8s.io/machinedeployment" },
        { op: "remove", path: "/metadata/finalizers/0" },
      ],
    },
  ],
  result: done,
};
const WAIT = waitFor("MachineSet.metadata.uid");

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), DEPLOYMENT, ...objects);
}

describe("machinedeployment-delete", () => {
  it("leaves a living deployment alone", async () => {
    const living = given(cluster(), machineDeployment(), setOfDeployment("d1-aaaaa"));
    expect(await decide(machinedeploymentDelete, living)).toEqual({ result: done });
  });

  it("deletes every set that it controls, by uid, none of another and no orphan, and keeps the finalizer", async () => {
    const orphan = setOfDeployment("d1-bbbbb", { metadata: { ownerReferences: undefined } });
    const foreign = setOfDeployment("d2-aaaaa", {
      metadata: { ownerReferences: [{ ...OWNED_BY_D1, name: "d2", uid: "uid-d2" }] },
    });
    const decision = await decide(
      machinedeploymentDelete,
      world(setOfDeployment("d1-aaaaa"), setOfDeployment("d1-ccccc", GOING), orphan, foreign),
    );
    expect(decision.delete?.map(({ target }) => [target.name, target.uid, target.resourceVersion])).toEqual([
      ["d1-aaaaa", "uid-d1-aaaaa", undefined],
    ]);
    expect(decision).toMatchObject({ result: WAIT });
    expect(decision.patch).toBeUndefined();
  });

  it("waits without a request while all of them are going", async () => {
    expect(await decide(machinedeploymentDelete, world(setOfDeployment("d1-aaaaa", GOING)))).toEqual({
      result: WAIT,
    });
  });

  it("lets the deployment go when a live list shows no set, not when a snapshot does", async () => {
    expect(await decide(machinedeploymentDelete, world())).toEqual(RELEASE);
    const set = setOfDeployment("d1-aaaaa", GOING);
    expect(await decide(machinedeploymentDelete, world().live(set))).toEqual({ delete: [], result: WAIT });
    const gone = setOfDeployment("d1-aaaaa");
    expect(await decide(machinedeploymentDelete, world(gone).goneLive(gone))).toEqual(RELEASE);
  });

  it("finds a set live that has lost the label of its Cluster", async () => {
    const set = setOfDeployment("d1-aaaaa", { metadata: { labels: undefined } });
    const decision = await decide(machinedeploymentDelete, world(set));
    expect(decision.delete?.map(({ target }) => target.name)).toEqual(["d1-aaaaa"]);
  });

  it("needs neither its Cluster nor a selector, and spec.paused does not hold it", async () => {
    const { spec, ...rest } = DEPLOYMENT;
    const bare = { ...rest, spec: { ...spec, selector: undefined, paused: true } };
    expect(await decide(machinedeploymentDelete, given(bare))).toEqual(RELEASE);
    const { delete: deleted } = await decide(
      machinedeploymentDelete,
      given(bare, setOfDeployment("d1-aaaaa")),
    );
    expect(deleted?.map(({ target }) => target.name)).toEqual(["d1-aaaaa"]);
  });

  it("leaves the sets of one that is deleted with policy Orphan, also when only the API server knows", async () => {
    const finalizers = ["cluster.x-k8s.io/machinedeployment", "orphan"];
    const freeing = machineDeployment({ metadata: { ...GOING.metadata, finalizers } });
    const result = waitFor("MachineDeployment.metadata.finalizers");
    const set = setOfDeployment("d1-aaaaa");
    expect(await decide(machinedeploymentDelete, given(cluster(), freeing, set))).toEqual({ result });
    expect(await decide(machinedeploymentDelete, world(set).live(freeing))).toEqual({ result });
  });

  it("does nothing to a successor of the same name", async () => {
    const successor = machineDeployment({ metadata: { uid: "other" } });
    expect(await decide(machinedeploymentDelete, world().live(successor))).toEqual({ result: done });
  });
});

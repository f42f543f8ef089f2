import { describe, expect, it } from "vitest";
import { machinesetDelete } from "../../../functions/machineset/delete.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { machineSet, OWNED_BY_S1, setMachine } from "../../support/foo-sets.ts";
import { decide, given } from "../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const GOING = { metadata: { deletionTimestamp: DELETED } };
const SET = machineSet(GOING);
const RELEASE = {
  patch: [
    {
      target: expect.objectContaining({ name: "s1", uid: "uid-s1", resourceVersion: "20" }),
      operations: [
        { op: "test", path: "/metadata/finalizers/0", value: "cluster.x-k8s.io/machineset" },
        { op: "remove", path: "/metadata/finalizers/0" },
      ],
    },
  ],
  result: done,
};
const WAIT = waitFor("Machine.metadata.uid");

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), SET, ...objects);
}

describe("machineset-delete", () => {
  it("leaves a living set alone", async () => {
    expect(await decide(machinesetDelete, given(cluster(), machineSet(), setMachine("m1")))).toEqual({
      result: done,
    });
  });

  it("deletes every Machine that the set controls or could adopt, by uid, and keeps the finalizer", async () => {
    const orphan = setMachine("m2", { metadata: { ownerReferences: undefined } });
    const foreign = setMachine("m3", {
      metadata: { ownerReferences: [{ ...OWNED_BY_S1, name: "s2", uid: "uid-s2" }] },
    });
    const decision = await decide(machinesetDelete, world(setMachine("m1"), orphan, foreign));
    expect(decision.delete?.map(({ target }) => [target.name, target.uid, target.resourceVersion])).toEqual([
      ["m1", "uid-m1", undefined],
      ["m2", "uid-m2", undefined],
    ]);
    expect(decision).toMatchObject({ result: WAIT });
    expect(decision.patch).toBeUndefined();
  });

  it("waits without a request while all of them are going", async () => {
    expect(await decide(machinesetDelete, world(setMachine("m1", GOING)))).toEqual({ result: WAIT });
  });

  it("lets the set go when a live list shows none, not when a snapshot does", async () => {
    expect(await decide(machinesetDelete, world())).toEqual(RELEASE);
    const hidden = await decide(machinesetDelete, world().live(setMachine("m1", GOING)));
    expect(hidden).toEqual({ delete: [], result: WAIT });
    expect(await decide(machinesetDelete, world(setMachine("m1")).goneLive(setMachine("m1")))).toEqual(
      RELEASE,
    );
  });

  it("needs neither its Cluster nor a selector", async () => {
    const bare = machineSet({ ...GOING, spec: { selector: { matchLabels: undefined } } });
    expect(await decide(machinesetDelete, given(bare))).toEqual(RELEASE);
    const { delete: deleted } = await decide(machinesetDelete, given(bare, setMachine("m1")));
    expect(deleted?.map(({ target }) => target.name)).toEqual(["m1"]);
  });

  it("does nothing to a successor of the same name", async () => {
    expect(await decide(machinesetDelete, world().live(machineSet({ metadata: { uid: "other" } })))).toEqual({
      result: done,
    });
  });
});

import { describe, expect, it } from "vitest";
import { type Kind, MANAGEMENT, type ObjectKey } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { createReplayReader } from "../../../../shared/runtime/letters/replay-reader.ts";
import { infraMachinePool, machinePool, OWNED_BY_P1 } from "../../../support/builders.ts";

/** Snapshots that hold pool p1 and nothing else. */
function reader() {
  const kind: Kind = {
    group: MachinePool.group,
    version: "v1beta2",
    kind: "MachinePool",
    plural: "machinepools",
    namespaced: true,
  };
  const key: ObjectKey = { namespace: "default", name: "p1" };
  const question = { call: "get" as const, cluster: MANAGEMENT, kind, key };
  return createReplayReader([
    { question, source: "snapshot", answer: { type: "object", object: machinePool() as never }, found: [] },
  ]);
}

describe("owner of a provider object", () => {
  it("is found whatever version the reference carries", async () => {
    const old = { ...OWNED_BY_P1, apiVersion: "cluster.x-k8s.io/v1beta1" };
    const object = infraMachinePool({ metadata: { ownerReferences: [old] } });
    expect(await readOwner(MachinePool, object, reader())).toEqual(machinePool());
  });

  it("is not an earlier object of the same name", async () => {
    const stale = { ...OWNED_BY_P1, uid: "uid-earlier" };
    const object = infraMachinePool({ metadata: { ownerReferences: [stale] } });
    expect(await readOwner(MachinePool, object, reader())).toBeUndefined();
  });

  it("is not a foreign kind of the same name, and is not looked for without reference", async () => {
    const read = reader();
    const foreign = { ...OWNED_BY_P1, apiVersion: "example.com/v1" };
    for (const ownerReferences of [[foreign], undefined]) {
      const object = infraMachinePool({ metadata: { ownerReferences } });
      expect(await readOwner(MachinePool, object, read)).toBeUndefined();
    }
    expect(read.unrecorded).toEqual([]);
  });
});

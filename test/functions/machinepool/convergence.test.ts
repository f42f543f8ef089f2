import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { infraMachinePool } from "../../support/builders.ts";
import { created, FUNCTIONS, INFRA, POOL, poolIn, settle, store } from "./small-server.ts";

const EIGHT = [
  "apply MachinePool p1 status",
  "patch FooConfig p1-config",
  "patch FooMachinePool p1-infra",
  "patch MachinePool p1",
  "patch MachinePool p1",
  "patch Node n1",
  "patch Node n2",
  "patch Node n3",
];

describe("the machinepool functions together", () => {
  it.each([
    ["in the order of their names", FUNCTIONS],
    ["in the opposite order", FUNCTIONS.toReversed()],
  ])("take a pool of three from creation to Running with eight writes, %s", async (_, functions) => {
    const objects = created();
    expect((await settle(objects, functions)).toSorted(compareText)).toEqual(EIGHT);
    const pool = poolIn(objects);
    expect(pool?.status).toMatchObject({ phase: "Running", observedGeneration: 2 });
    expect(pool?.metadata.generation).toBe(2);
    expect(await settle(objects, functions)).toEqual([]);
  });

  it("shrink a pool: the Node goes before its ref", async () => {
    const objects = created();
    await settle(objects);
    const list = { spec: { providerIDList: ["foo://1", "foo://2"] }, status: { replicas: 2 } };
    const pool = poolIn(objects);
    store(objects, POOL, { ...pool, ...{ spec: { ...pool?.spec, replicas: 2 } } } as KubeObject);
    store(objects, INFRA, infraMachinePool(list));
    expect(await settle(objects)).toEqual([
      "patch MachinePool p1",
      "delete Node n3",
      "apply MachinePool p1 status",
    ]);
    const shrunk = poolIn(objects);
    expect(shrunk?.status).toMatchObject({ phase: "Running", replicas: 2, readyReplicas: 2 });
    expect(shrunk?.status?.nodeRefs?.map(({ name }) => name)).toEqual(["n1", "n2"]);
  });

  it("take a deleted pool apart: provider objects, Nodes, finalizer", async () => {
    const objects = created();
    await settle(objects);
    const pool = poolIn(objects) as KubeObject;
    store(objects, POOL, {
      ...pool,
      metadata: { ...pool.metadata, deletionTimestamp: "2026-01-01T12:00:00Z" },
    });
    expect((await settle(objects)).filter((write) => !write.startsWith("apply"))).toEqual([
      "delete FooConfig p1-config",
      "delete FooMachinePool p1-infra",
      "delete Node n1",
      "delete Node n2",
      "delete Node n3",
      "patch MachinePool p1",
    ]);
    expect(poolIn(objects)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import {
  apiVersionOf,
  groupOf,
  objectKeyOf,
  refTo,
  titleOf,
  workloadCluster,
} from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";

const metadata = { name: "p1", namespace: "default", uid: "u1", resourceVersion: "7" };
const object = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachinePool", metadata };

describe("kinds", () => {
  it.each([
    ["", "v1", "v1"],
    ["cluster.x-k8s.io", "v1beta2", "cluster.x-k8s.io/v1beta2"],
  ])("group %j and version %s make the apiVersion %s, and back", (group, version, apiVersion) => {
    expect(apiVersionOf({ group, version })).toBe(apiVersion);
    expect(groupOf(apiVersion)).toBe(group);
  });

  it("names a cluster-scoped object with an empty namespace", () => {
    expect(objectKeyOf({ ...object, metadata: { name: "n1" } })).toEqual({ namespace: "", name: "n1" });
  });

  it("titles an object by its kind and name, and its namespace where it has one", () => {
    expect([titleOf("MachinePool", metadata), titleOf("Node", { name: "n1" })]).toEqual([
      "MachinePool default/p1",
      "Node n1",
    ]);
  });

  it("targets a write at the uid and version that were read", () => {
    expect(refTo(MachinePool, object)).toEqual({
      cluster: "management",
      kind: MachinePool,
      ...metadata,
    });
  });

  it("knows a workload server by its Cluster", () => {
    expect(workloadCluster({ namespace: "default", name: "c1" })).toBe("default/c1");
  });
});

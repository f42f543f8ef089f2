import { expect, it } from "vitest";
import { managementType } from "../../../../shared/runtime/read/management-type.ts";

it("keeps the objects of a kind under the management cluster's name", () => {
  const kind = { group: "cluster.x-k8s.io", kind: "Cluster", plural: "clusters" };
  expect(managementType(kind)).toEqual({ cluster: "management", group: "cluster.x-k8s.io", kind: "Cluster" });
});

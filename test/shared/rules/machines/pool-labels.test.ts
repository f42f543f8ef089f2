import { expect, it } from "vitest";
import { poolLabels } from "../../../../shared/rules/machines/pool-labels.ts";
import { machinePool } from "../../../support/builders.ts";

it("the labels of a pool's Machines carry its name as a label value", () => {
  expect(poolLabels(machinePool({ metadata: { name: "machineSetName".repeat(12) } }))).toEqual({
    "cluster.x-k8s.io/pool-name": "hash_FR_ghQ_z",
    "cluster.x-k8s.io/cluster-name": "c1",
  });
});

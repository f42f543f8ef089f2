import { describe, expect, it } from "vitest";
import { valueAt } from "../../../shared/api/path.ts";
import {
  InfraMachinePool,
  infraMachinePoolPath,
  infraMachinePoolPaths,
} from "../../../shared/contract/infra-machine-pool.ts";
import { infraMachinePool, machinePool } from "../../support/builders.ts";

describe("InfraMachinePool", () => {
  it("is found where a MachinePool names its infrastructure", () => {
    const [by] = InfraMachinePool.referencedBy;
    expect(valueAt(machinePool(), by?.path ?? "")).toMatchObject({ name: "p1-infra" });
  });

  it.each(["v1beta1", "v1beta2"] as const)(
    "IMP-13 to IMP-17: is read in the same fields under %s",
    (contract) => {
      const pool = infraMachinePool({ status: { initialization: { provisioned: false } } });
      expect(valueAt(pool, infraMachinePoolPath(contract, "providerIDList"))).toHaveLength(3);
      expect(valueAt(pool, infraMachinePoolPath(contract, "provisioned"))).toBe(false);
      expect(valueAt(pool, infraMachinePoolPath(contract, "ready"))).toBe(true);
      expect(valueAt(pool, infraMachinePoolPath(contract, "replicas"))).toBe(3);
    },
  );

  it("PC-6.3, PC-6.4, IMP-20, IMP-24: is watched for its machine kind and its failures, each once", () => {
    expect(infraMachinePoolPaths("infrastructureMachineKind", "failureReason", "failureMessage")).toEqual([
      "status.infrastructureMachineKind",
      "status.failureReason",
      "status.failureMessage",
    ]);
  });
});

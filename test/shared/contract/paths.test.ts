import { describe, expect, it } from "vitest";
import { bootstrapConfigPath, bootstrapConfigPaths } from "../../../shared/contract/bootstrap-config.ts";
import { controlPlanePath, controlPlanePaths } from "../../../shared/contract/control-plane.ts";
import { infraClusterPath, infraClusterPaths } from "../../../shared/contract/infra-cluster.ts";
import { infraMachinePoolPath, infraMachinePoolPaths } from "../../../shared/contract/infra-machine-pool.ts";

describe("contract paths", () => {
  it("depend on the contract version that the CRD claims", () => {
    expect(bootstrapConfigPath("v1beta1", "dataSecretCreated")).toBe("status.ready");
    expect(bootstrapConfigPath("v1beta2", "dataSecretCreated")).toBe(
      "status.initialization.dataSecretCreated",
    );
    expect(infraClusterPath("v1beta1", "provisioned")).toBe("status.ready");
    expect(infraClusterPath("v1beta2", "provisioned")).toBe("status.initialization.provisioned");
    expect(controlPlanePath("v1beta1", "initialized")).toBe("status.initialized");
    expect(controlPlanePath("v1beta2", "initialized")).toBe("status.initialization.controlPlaneInitialized");
    expect(controlPlanePath("v1beta1", "availableReplicas")).toBeUndefined();
  });

  it("are the same for both versions of InfraMachinePool, which core reads alike", () => {
    expect(infraMachinePoolPath("v1beta1", "ready")).toBe("status.ready");
    expect(infraMachinePoolPath("v1beta2", "ready")).toBe("status.ready");
  });

  it("are watched under every version, each once", () => {
    expect(bootstrapConfigPaths("dataSecretCreated", "dataSecretName")).toEqual([
      "status.ready",
      "status.dataSecretName",
      "status.initialization.dataSecretCreated",
    ]);
    expect(infraMachinePoolPaths("ready", "replicas")).toEqual(["status.ready", "status.replicas"]);
    expect(infraClusterPaths("provisioned")).toEqual(["status.ready", "status.initialization.provisioned"]);
    expect(controlPlanePaths("availableReplicas", "unavailableReplicas")).toEqual([
      "status.unavailableReplicas",
      "status.availableReplicas",
    ]);
  });
});

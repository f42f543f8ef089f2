import { describe, expect, it } from "vitest";
import { valueAt } from "../../../shared/api/path.ts";
import {
  BootstrapConfig,
  bootstrapConfigPath,
  bootstrapConfigPaths,
} from "../../../shared/contract/bootstrap-config.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import { bootstrapConfig, machinePool } from "../../support/builders.ts";

describe("BootstrapConfig", () => {
  it("is found where a MachinePool names its config", () => {
    const [by] = BootstrapConfig.referencedBy;
    expect(valueAt(machinePool(), by?.path ?? "")).toMatchObject({ name: "p1-config" });
  });

  it("is not ready under v1beta2 when only status.ready is set", () => {
    const old = bootstrapConfig({ status: { initialization: undefined, ready: true } });
    expect(readBoolean(old, bootstrapConfigPath("v1beta2", "dataSecretCreated"))).toEqual({});
    expect(readBoolean(old, bootstrapConfigPath("v1beta1", "dataSecretCreated"))).toEqual({ value: true });
  });

  it("names its secret and its failures alike under both contracts, watched once", () => {
    expect(bootstrapConfigPaths("dataSecretName", "failureReason", "failureMessage")).toEqual([
      "status.dataSecretName",
      "status.failureReason",
      "status.failureMessage",
    ]);
  });
});

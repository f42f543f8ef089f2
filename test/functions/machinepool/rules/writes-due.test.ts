import { describe, expect, it } from "vitest";
import { poolWritesDue } from "../../../../functions/machinepool/rules/writes-due.ts";
import { bootstrapConfig, cluster, found, infraMachinePool, machinePool } from "../../../support/builders.ts";

const READY = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
const UNOWNED = { metadata: { ownerReferences: undefined } };
describe("poolWritesDue", () => {
  it.each([
    ["the finalizer", machinePool({ metadata: { finalizers: undefined } }), READY],
    ["the cluster label", machinePool({ metadata: { labels: undefined } }), READY],
    ["a default", machinePool({ spec: { replicas: undefined } }), READY],
    [
      "a controller of the bootstrap object",
      machinePool(),
      { ...READY, bootstrap: found(bootstrapConfig(UNOWNED)) },
    ],
    [
      "a controller of the infrastructure object",
      machinePool(),
      { ...READY, infrastructure: found(infraMachinePool(UNOWNED)) },
    ],
    ["the list", machinePool({ spec: { providerIDList: undefined } }), READY],
    [
      "the name",
      machinePool({ spec: { template: { spec: { bootstrap: { dataSecretName: undefined } } } } }),
      READY,
    ],
  ])("is true while %s is missing, but not while paused or deleting", (_, pool, providers) => {
    expect(poolWritesDue(pool, cluster(), providers)).toBe(true);
    expect(poolWritesDue(pool, cluster({ spec: { paused: true } }), providers)).toBe(false);
    const leaving = { ...pool, metadata: { ...pool.metadata, deletionTimestamp: "2026-01-01T11:59:00Z" } };
    expect(poolWritesDue(leaving, cluster(), providers)).toBe(false);
  });

  it("is false for an override, which sync will not touch", () => {
    const overridden = machinePool({
      metadata: { managers: { "spec.template.spec.bootstrap.dataSecretName": ["kubectl-edit"] } },
      spec: { template: { spec: { bootstrap: { dataSecretName: "mine" } } } },
    });
    expect(poolWritesDue(overridden, cluster(), READY)).toBe(false);
  });
});

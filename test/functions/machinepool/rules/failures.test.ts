import { describe, expect, it } from "vitest";
import { poolFailure } from "../../../../functions/machinepool/rules/failures.ts";
import {
  bootstrapConfig,
  found,
  infraMachinePool,
  machinePool,
  missing,
  OWNED_BY_P1,
} from "../../../support/builders.ts";

const FAILING = { failureReason: "CreateError", failureMessage: "no quota" };
const OK = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
const B_FAILS = found(bootstrapConfig({ status: FAILING }));
const I_FAILS = found(
  infraMachinePool({ status: { failureReason: "UpdateError", failureMessage: "no disk" } }),
);
const B_MESSAGE =
  'Failure detected from referenced resource bootstrap.cluster.x-k8s.io/v1, Kind=FooConfig with name "p1-config": no quota';

describe("poolFailure", () => {
  it("copies the bootstrap object's failure and says where it comes from", () => {
    expect(poolFailure(machinePool(), { ...OK, bootstrap: B_FAILS })).toEqual({
      failureReason: "CreateError",
      failureMessage: B_MESSAGE,
    });
  });

  it("lets the infrastructure object win", () => {
    expect(poolFailure(machinePool(), { bootstrap: B_FAILS, infrastructure: I_FAILS })).toMatchObject({
      failureReason: "UpdateError",
      failureMessage: expect.stringMatching(/Kind=FooMachinePool with name "p1-infra": no disk$/),
    });
  });

  it("never clears what is stored and takes no empty text", () => {
    const stored = { failureReason: "Old", failureMessage: "old" };
    const pool = machinePool({ status: { deprecated: { v1beta1: stored } } });
    const empty = found(infraMachinePool({ status: { failureReason: "", failureMessage: "" } }));
    expect(poolFailure(pool, OK)).toEqual(stored);
    expect(poolFailure(pool, { ...OK, infrastructure: empty })).toEqual(stored);
  });

  it("takes nothing from a foreign object", () => {
    const ownerReferences = [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }];
    const foreign = found(infraMachinePool({ metadata: { ownerReferences }, status: FAILING }));
    expect(poolFailure(machinePool(), { ...OK, infrastructure: foreign })).toEqual({});
  });

  it("fails a pool whose infrastructure is gone after it was ready, and not one that waits for it", () => {
    const gone = { ...OK, infrastructure: missing(infraMachinePool()) };
    const ready = machinePool({ status: { initialization: { infrastructureProvisioned: true } } });
    expect(poolFailure(ready, gone)).toEqual({
      failureReason: "InvalidConfiguration",
      failureMessage:
        "MachinePool infrastructure resource FooMachinePool default/p1-infra has been deleted after being ready",
    });
    expect(poolFailure(machinePool(), gone)).toEqual({});
  });
});

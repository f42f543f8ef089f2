import { describe, expect, it } from "vitest";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { AnyDecision, AnyFunction } from "../../../../shared/function/define-function.ts";
import { ownStatus } from "../../../../shared/runtime/write/own-status.ts";
import { cluster } from "../../../support/builders.ts";

const FN = { spec: { reconciles: Cluster } } as unknown as AnyFunction;
const OBJECT = cluster({ status: { phase: "Provisioned" } });

function bodiesOf(apply: NonNullable<AnyDecision["apply"]>) {
  return ownStatus(FN, OBJECT, { apply }).map(({ body }) => body);
}

describe("the apply of owned fields", () => {
  it("is not sent when the snapshot has all of it", () => {
    expect(bodiesOf({ "status.phase": "Provisioned" })).toEqual([]);
    expect(bodiesOf({ "status.phase": "Provisioned", "status.failureReason": undefined })).toEqual([]);
  });

  it("is the whole of it when one field differs: what is left out is given up", () => {
    const apply = {
      "status.phase": "Provisioned",
      "status.initialization.infrastructureProvisioned": true,
      "status.initialization.controlPlaneInitialized": false,
    };
    const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: false };
    expect(bodiesOf(apply)).toEqual([{ status: { phase: "Provisioned", initialization } }]);
  });

  it("leaves out the fields that are given up", () => {
    expect(bodiesOf({ "status.phase": undefined })).toEqual([{}]);
  });
});

import { describe, expect, it } from "vitest";
import { machineGuard } from "../../../../functions/machine/guard.ts";
import { machineStatus } from "../../../../functions/machine/status.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { pausedBy } from "../../../../shared/function/guards.ts";
import { pausedCondition } from "../../../../shared/rules/conditions/paused-condition.ts";
import { standBack } from "../../../../shared/runtime/write/foreign-controller.ts";

const NOW = new Date("2026-01-01T00:04:00Z");
const foreign = { manager: "manager", until: "2026-01-01T00:10:00.000Z" };
const REPORTED =
  /^manager has changed spec, finalizers or owner references of Capstan on Machine default\/m1 3 times/;

function machine(metadata: object, paused?: { readonly status: string; readonly at: string }): KubeObject {
  const condition = paused && { type: "Paused", status: paused.status, lastTransitionTime: paused.at };
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: { name: "m1", namespace: "default", ...metadata },
    ...(condition && { status: { conditions: [condition] } }),
  } as KubeObject;
}

describe("an object that another controller changes, too", () => {
  it("is left alone until that has been quiet for 10 minutes", () => {
    const back = standBack(machineGuard, machine({ foreign }), NOW);
    expect(back).toMatchObject({ afterMs: 6 * 60_000, notice: { reason: "ForeignController" } });
    expect(back?.notice.message).toMatch(REPORTED);
    expect(back?.shown, "there is nothing to run").toBeUndefined();
    expect(standBack(machineGuard, machine({ foreign }), new Date(foreign.until))).toBeUndefined();
    expect(standBack(machineGuard, machine({}), NOW)).toBeUndefined();
  });

  it("is shown as paused, with the reason, by the function that writes its status", () => {
    const { shown } = standBack(machineStatus, machine({ foreign }), NOW) ?? {};
    if (shown === undefined) throw new Error("nothing is shown");
    expect(pausedBy(undefined, shown)).toMatch(REPORTED);
    expect(pausedCondition(undefined, shown, "Machine")).toMatchObject({
      status: "True",
      reason: "ForeignController",
      message: expect.stringMatching(REPORTED),
    });
  });

  it("is shown once after each write of the other controller, which may write over it", () => {
    const at = (status: string, time: string) =>
      standBack(machineStatus, machine({ foreign }, { status, at: time }), NOW)?.shown;
    expect(at("False", "2026-01-01T00:00:01Z")).toBeUndefined();
    expect(at("False", "2025-12-31T23:59:00Z")).toBeDefined();
    expect(at("True", "2026-01-01T00:00:01Z"), "it stays shown").toBeDefined();
  });

  it("may still say that it is paused by a person", () => {
    const annotations = { "cluster.x-k8s.io/paused": "" };
    expect(standBack(machineStatus, machine({ foreign, annotations }), NOW)).toBeUndefined();
  });
});

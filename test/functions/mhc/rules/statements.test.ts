import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { AnyDecision } from "../../../../shared/function/define-function.ts";
import { crd } from "../../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  LONG_AGO,
  machineAfter,
  machineWith,
  saidOf,
  succeeded,
} from "../../../support/checked-machines.ts";
import {
  fooRemediation,
  REMEDIATION_CRDS,
  REMEDIATION_GROUP,
  templateRef,
} from "../../../support/foo-remediation.ts";
import { healthCheck, since } from "../../../support/health-checks.ts";
import { decide, liveReads, type World } from "../../../support/world.ts";

const EXTERNAL = { remediation: { templateRef } };

describe("mhc-machines and an external controller", () => {
  const external = (machine: Machine, ...more: readonly KubeObject[]) =>
    checkedWorld(healthCheck({ spec: EXTERNAL }), [machine], [badNode("m1")], ...REMEDIATION_CRDS, ...more);

  it("marks a Machine for it in the patch that says why, from snapshots", async () => {
    const machine = machineWith("m1", succeeded());
    const decision = await decide(mhcMachines, external(machine));
    expect(saidOf(machineAfter(decision, machine), "ExternallyRemediated")).toEqual([
      "False",
      "WaitingForRemediation",
      undefined,
      undefined,
    ]);
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")[0]).toBe("False");
    expect(saidOf(machineAfter(decision, machine), "OwnerRemediated")[0]).toBeUndefined();
    expect(await liveReads(mhcMachines, external(machine), "h1")).toEqual([]);
  });

  it("not while a request exists, when the limit is exceeded, or when it is marked", async () => {
    const machine = machineWith("m1", succeeded());
    const mark = (of: Machine, decision: AnyDecision) =>
      saidOf(machineAfter(decision, of), "ExternallyRemediated");
    const requested = await decide(mhcMachines, external(machine, fooRemediation()));
    expect(mark(machine, requested)[0]).toBeUndefined();
    const spec = { remediation: { templateRef, triggerIf: { unhealthyLessThanOrEqualTo: 0 } } };
    const exceeded = checkedWorld(healthCheck({ spec }), [machine], [badNode("m1")], ...REMEDIATION_CRDS);
    expect(mark(machine, await decide(mhcMachines, exceeded))[0]).toBeUndefined();
    const marked = machineWith("m1", failed(), since(LONG_AGO, "ExternallyRemediated", "False", "Rebooting"));
    expect(mark(marked, await decide(mhcMachines, external(marked)))[1]).toBe("Rebooting");
    const over = machineWith("m1", failed(), since(LONG_AGO, "ExternallyRemediated", "True", "Rebooted"));
    expect(mark(over, await decide(mhcMachines, external(over)))[1]).toBe("WaitingForRemediation");
  });

  it("repeats what a controller that gives up has said in the older family only", async () => {
    const older = (time: string) => [
      { type: "OwnerRemediated", status: "False", reason: "WaitingForRemediation", lastTransitionTime: time },
    ];
    const gaveUp = (time: string): Machine => {
      const machine = machineWith("m1", failed(), since(LONG_AGO, "ExternallyRemediated", "False"));
      return {
        ...machine,
        status: { ...machine.status, deprecated: { v1beta1: { conditions: older(time) } } },
      };
    };
    const decided = async (of: World) =>
      saidOf(machineAfter(await decide(mhcMachines, of), gaveUp(at("10:00:00"))), "OwnerRemediated");
    const machine = gaveUp(at("10:00:00"));
    expect(await decided(external(machine, fooRemediation()))).toEqual([
      "False",
      "WaitingForRemediation",
      "False",
      "WaitingForRemediation",
    ]);
    expect((await decided(external(machine)))[0]).toBeUndefined();
    expect(
      (await decided(external(machine, fooRemediation()).goneLive(fooRemediation())))[0],
    ).toBeUndefined();
    expect((await decided(external(gaveUp(at("08:30:00")), fooRemediation())))[0]).toBeUndefined();
  });

  it("reads requests from the server while their kind is not watched", async () => {
    const unwatched = crd(REMEDIATION_GROUP, "FooRemediation", { status: { watched: undefined } });
    const machine = machineWith("m1", succeeded());
    const of = external(machine, unwatched, fooRemediation());
    expect(await liveReads(mhcMachines, of, "h1")).toEqual(["list FooRemediation"]);
    expect(
      saidOf(machineAfter(await decide(mhcMachines, of), machine), "ExternallyRemediated")[0],
    ).toBeUndefined();
  });
});

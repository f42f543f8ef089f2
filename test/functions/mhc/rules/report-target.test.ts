import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { TargetReport } from "../../../../shared/function/health-report.ts";
import { merge, node } from "../../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  LONG_AGO,
  limitedCheck,
  machineWith,
  succeeded,
} from "../../../support/checked-machines.ts";
import {
  fooRemediation,
  machineOwner,
  REMEDIATION_CRDS,
  REMEDIATION_GROUP,
  templateRef,
} from "../../../support/foo-remediation.ts";
import { healthCheck, since, target } from "../../../support/health-checks.ts";
import { reported } from "../../../support/world.ts";

const handedOver = since(LONG_AGO, "OwnerRemediated", "False");
const marked = since(LONG_AGO, "ExternallyRemediated", "False");

/** The report about m1 of a health check of owners. */
async function ofOwner(machine: Machine, isBad = true): Promise<TargetReport | undefined> {
  const nodes = [isBad ? badNode("m1") : node("m1")];
  const { targets } = await reported(mhcMachines, checkedWorld(limitedCheck(), [machine], nodes), "h1");
  return targets[0];
}

/** The report about m1 of a health check with a template. */
async function ofOutside(conditions: readonly Condition[], ...more: readonly KubeObject[]) {
  const check = healthCheck({ spec: { remediation: { templateRef } } });
  const machine = machineWith("m1", ...conditions);
  const world = checkedWorld(check, [machine], [badNode("m1")], ...REMEDIATION_CRDS, ...more);
  return (await reported(mhcMachines, world, "h1")).targets[0];
}

describe("what is reported of one target", () => {
  it("its owner holds the place of a Machine that was handed over", async () => {
    expect(await ofOwner(machineWith("m1", failed(), handedOver))).toMatchObject({
      verdict: "unhealthy",
      place: "MachineSet s1",
      waitsFor: "MachineSet s1 to act",
    });
  });

  it("a recovered Machine shows when its owner loses the place", async () => {
    const machine = machineWith("m1", succeeded(at("11:59:30")), handedOver);
    expect(await ofOwner(machine, false)).toMatchObject({
      verdict: "healthy",
      place: "MachineSet s1",
      next: at("12:00:31"),
    });
  });

  it("without a controller a person must act", async () => {
    const older = { type: "OwnerRemediated", status: "False", lastTransitionTime: LONG_AGO } as const;
    const deprecated = { v1beta1: { conditions: [older] } };
    const machine = target("m1", { status: { conditions: [failed(), handedOver], deprecated } });
    expect(await ofOwner(machine)).toMatchObject({ waitsFor: "a person: it has no controller" });
  });

  it("one that is being deleted waits for its deletion, a new one for its condition", async () => {
    const going = machineWith("m1", failed());
    const metadata = { ...going.metadata, deletionTimestamp: LONG_AGO };
    expect(await ofOwner({ ...going, metadata })).toMatchObject({ waitsFor: "its deletion" });
    expect(await ofOwner(machineWith("m1", succeeded()))).toMatchObject({
      since: at("11:05:00"),
      findings: [expect.stringContaining("Condition Ready on Node")],
      waitsFor: "its condition HealthCheckSucceeded",
    });
  });

  it("a failed check keeps a place although nothing that is seen explains it", async () => {
    const place = `its HealthCheckSucceeded, False since ${LONG_AGO} (UnhealthyNode)`;
    expect(await ofOwner(machineWith("m1", failed()), false)).toMatchObject({ verdict: "healthy", place });
    const slow = checkedWorld(limitedCheck(), [machineWith("m1", failed())], [badNode("m1", at("11:59:00"))]);
    expect((await reported(mhcMachines, slow, "h1")).targets).toMatchObject([{ verdict: "pending", place }]);
  });

  it("the request of an external controller holds the place", async () => {
    expect(await ofOutside([failed(), marked], fooRemediation())).toMatchObject({
      place: "FooRemediation m1",
      waitsFor: "FooRemediation m1 to end",
      request: { kind: "FooRemediation", name: "m1", since: at("09:00:00") },
    });
    const metadata = { deletionTimestamp: at("11:00:00"), finalizers: ["a/b"] };
    expect(await ofOutside([failed(), marked], fooRemediation("m1", metadata))).toMatchObject({
      waitsFor: "FooRemediation m1 to be deleted",
      request: { isDeleting: true },
    });
  });

  it("an object of its name that is not its request is named as such", async () => {
    const earlier = fooRemediation("m1", { ownerReferences: [machineOwner("m1", "old")] });
    expect(await ofOutside([failed(), marked], earlier)).toMatchObject({
      waitsFor: "FooRemediation m1 of an earlier Machine to be deleted",
    });
    const other = { apiVersion: "remediation.medik8s.io/v1", kind: "NodeHealthCheck", name: "n", uid: "u" };
    const foreign = fooRemediation("m1", { ownerReferences: [other] });
    expect(await ofOutside([failed(), marked], foreign)).toMatchObject({
      waitsFor: "FooRemediation m1, which belongs to another object, to go",
    });
    const infrastructureRef = { apiGroup: REMEDIATION_GROUP, kind: "FooRemediation", name: "m1" };
    const machine = merge(machineWith("m1", failed(), marked), { spec: { infrastructureRef } });
    const check = healthCheck({ spec: { remediation: { templateRef } } });
    const world = checkedWorld(check, [machine], [badNode("m1")], ...REMEDIATION_CRDS, fooRemediation());
    expect((await reported(mhcMachines, world, "h1")).targets).toMatchObject([
      { waitsFor: "a templateRef that makes requests: Machines consist of FooRemediation m1" },
    ]);
  });

  it("without a request it waits for its mark, then for the next run", async () => {
    expect(await ofOutside([failed()])).toMatchObject({ waitsFor: "its condition ExternallyRemediated" });
    expect(await ofOutside([failed(), marked])).toMatchObject({ waitsFor: "the next run" });
  });

  it("a request that may still appear holds the place of a recovered Machine for a while", async () => {
    const check = healthCheck({ spec: { remediation: { templateRef } } });
    const machine = machineWith("m1", succeeded(at("11:59:50")), marked);
    const world = checkedWorld(check, [machine], [node("m1")], ...REMEDIATION_CRDS);
    expect((await reported(mhcMachines, world, "h1")).targets).toMatchObject([
      { verdict: "healthy", place: "a request that may still appear", next: at("12:00:21") },
    ]);
  });
});

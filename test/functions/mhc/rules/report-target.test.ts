import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { TargetReport } from "../../../../shared/function/health-report.ts";
import { crd, merge, node, type Overrides } from "../../../support/builders.ts";
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
import { healthCheck, since, target } from "../../../support/health-checks.ts";
import { reported } from "../../../support/world.ts";

const GROUP = "infrastructure.cluster.x-k8s.io";
const templateRef = { apiVersion: `${GROUP}/v1`, kind: "FooRemediationTemplate", name: "t" };
const KINDS = [crd(GROUP, "FooRemediation"), crd(GROUP, "FooRemediationTemplate")];
const handedOver = since(LONG_AGO, "OwnerRemediated", "False");
const marked = since(LONG_AGO, "ExternallyRemediated", "False");

function request(metadata: Overrides<KubeObject["metadata"]> = {}): KubeObject {
  const owner = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "uid-m1" };
  return merge<KubeObject>(
    {
      apiVersion: `${GROUP}/v1`,
      kind: "FooRemediation",
      metadata: {
        name: "m1",
        namespace: "default",
        uid: "uid-r1",
        resourceVersion: "5",
        creationTimestamp: at("09:00:00"),
        ownerReferences: [owner],
      },
    },
    { metadata },
  );
}

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
  const world = checkedWorld(check, [machine], [badNode("m1")], ...KINDS, ...more);
  return (await reported(mhcMachines, world, "h1")).targets[0];
}

describe("what is reported of one target", () => {
  it("MHC-13.1: its owner holds the place of a Machine that was handed over", async () => {
    expect(await ofOwner(machineWith("m1", failed(), handedOver))).toMatchObject({
      verdict: "unhealthy",
      place: "MachineSet s1",
      waitsFor: "MachineSet s1 to act",
    });
  });

  it("MHC-13.1: a recovered Machine shows when its owner loses the place", async () => {
    const machine = machineWith("m1", succeeded(at("11:59:30")), handedOver);
    expect(await ofOwner(machine, false)).toMatchObject({
      verdict: "healthy",
      place: "MachineSet s1",
      next: at("12:00:31"),
    });
  });

  it("MHC-13.1: without a controller a person must act", async () => {
    const older = { type: "OwnerRemediated", status: "False", lastTransitionTime: LONG_AGO } as const;
    const deprecated = { v1beta1: { conditions: [older] } };
    const machine = target("m1", { status: { conditions: [failed(), handedOver], deprecated } });
    expect(await ofOwner(machine)).toMatchObject({ waitsFor: "a person: it has no controller" });
  });

  it("MHC-13.1: one that is being deleted waits for its deletion, a new one for its condition", async () => {
    const going = machineWith("m1", failed());
    const metadata = { ...going.metadata, deletionTimestamp: LONG_AGO };
    expect(await ofOwner({ ...going, metadata })).toMatchObject({ waitsFor: "its deletion" });
    expect(await ofOwner(machineWith("m1", succeeded()))).toMatchObject({
      since: at("11:05:00"),
      findings: [expect.stringContaining("Condition Ready on Node")],
      waitsFor: "its condition HealthCheckSucceeded",
    });
  });

  it("MHC-13.1: the request of an external controller holds the place", async () => {
    expect(await ofOutside([failed(), marked], request())).toMatchObject({
      place: "FooRemediation m1",
      waitsFor: "FooRemediation m1 to end",
      request: { apiVersion: `${GROUP}/v1`, kind: "FooRemediation", name: "m1", since: at("09:00:00") },
    });
    const metadata = { deletionTimestamp: at("11:00:00"), finalizers: ["a/b"] };
    expect(await ofOutside([failed(), marked], request(metadata))).toMatchObject({
      waitsFor: "FooRemediation m1 to be deleted",
      request: { isDeleting: true },
    });
  });

  it("MHC-13.1: an object of its name that is not its request is named as such", async () => {
    const owner = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "old" };
    expect(await ofOutside([failed(), marked], request({ ownerReferences: [owner] }))).toMatchObject({
      waitsFor: "FooRemediation m1 of an earlier Machine to be deleted",
    });
    const other = { apiVersion: "remediation.medik8s.io/v1", kind: "NodeHealthCheck", name: "n", uid: "u" };
    expect(await ofOutside([failed(), marked], request({ ownerReferences: [other] }))).toMatchObject({
      waitsFor: "FooRemediation m1, which belongs to another object, to go",
    });
  });

  it("MHC-13.1: without a request it waits for its mark, then for the next run", async () => {
    expect(await ofOutside([failed()])).toMatchObject({ waitsFor: "its condition ExternallyRemediated" });
    expect(await ofOutside([failed(), marked])).toMatchObject({ waitsFor: "the next run" });
  });

  it("MHC-13.1: a request that may still appear holds the place of a recovered Machine for a while", async () => {
    const check = healthCheck({ spec: { remediation: { templateRef } } });
    const machine = machineWith("m1", succeeded(at("11:59:50")), marked);
    const world = checkedWorld(check, [machine], [node("m1")], ...KINDS);
    expect((await reported(mhcMachines, world, "h1")).targets).toMatchObject([
      { verdict: "healthy", place: "a request that may still appear", next: at("12:00:21") },
    ]);
  });
});

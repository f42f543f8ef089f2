import { describe, expect, it } from "vitest";
import {
  type RemediationSources,
  remediationsOf,
} from "../../../../infra/cli/remediations/remediation-list.ts";
import type { Event } from "../../../../shared/api/core.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { at, failed, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { healthCheck, since } from "../../../support/health-checks.ts";

function marked(name: string, time: string, overrides: Partial<Event> = {}): Event {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.1`, namespace: "default", resourceVersion: "1" },
    involvedObject: {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      namespace: "default",
      name,
      uid: `uid-${name}`,
    },
    reason: "MachineMarkedUnhealthy",
    message: `Machine default/${name} has been marked as unhealthy by default/h1`,
    type: "Normal",
    firstTimestamp: time,
    ...overrides,
  };
}

function listOf(sources: Partial<RemediationSources>) {
  return remediationsOf({ events: [], machines: [], checks: [healthCheck()], ...sources });
}

const handedOver = since(at("11:00:00"), "OwnerRemediated", "False");
const ONE = { at: at("11:00:00"), healthCheck: "default/h1", machine: "default/m1" };

describe("the remediations that an API server still knows", () => {
  it.each<[string, readonly Machine[], object]>([
    [
      "open, with reason and owner",
      [machineWith("m1", failed(), handedOver)],
      { reason: "UnhealthyNode", actor: "MachineSet s1", outcome: "open" },
    ],
    [
      "recovered, with its end",
      [machineWith("m1", succeeded(at("11:05:00")))],
      { actor: "MachineSet s1", outcome: "recovered", endedAt: at("11:05:00") },
    ],
    ["replaced, once the Machine is gone", [], { outcome: "replaced" }],
    [
      "replaced, also when another Machine has its name",
      [withUid(machineWith("m1", succeeded()), "uid-new")],
      { outcome: "replaced" },
    ],
  ])("are %s", (...[, machines, more]) => {
    expect(listOf({ events: [marked("m1", at("11:00:00"))], machines })).toEqual([{ ...ONE, ...more }]);
  });

  it("are deleting while the Machine goes", () => {
    const machine = machineWith("m1", failed(), handedOver);
    const going = { ...machine, metadata: { ...machine.metadata, deletionTimestamp: at("11:01:00") } };
    expect(listOf({ events: [marked("m1", at("11:00:00"))], machines: [going] })).toMatchObject([
      { outcome: "deleting" },
    ]);
  });

  it("name the request where the health check has a template", () => {
    const templateRef = { apiVersion: "a.b/v1", kind: "FooRemediationTemplate", name: "t" };
    const checks = [healthCheck({ spec: { remediation: { templateRef } } })];
    const machines = [machineWith("m1", failed())];
    expect(listOf({ events: [marked("m1", at("11:00:00"))], machines, checks })).toMatchObject([
      { actor: "FooRemediation m1" },
    ]);
  });

  it("are as many as a Machine was marked, the newest first: before a second mark lies a recovery", () => {
    const events = [marked("m1", at("10:00:00")), marked("m1", at("11:00:00"))];
    expect(listOf({ events, machines: [machineWith("m1", failed(), handedOver)] })).toMatchObject([
      { at: at("11:00:00"), outcome: "open" },
      { at: at("10:00:00"), outcome: "recovered" },
    ]);
  });

  it("are read from conditions where the Event is gone, without a health check", () => {
    const outside = since(at("10:30:00"), "ExternallyRemediated", "False");
    const machines = [
      machineWith("m1", failed(), handedOver),
      machineWith("m2", failed(), outside),
      machineWith("m3"),
    ];
    expect(listOf({ machines })).toEqual([
      {
        at: at("11:00:00"),
        machine: "default/m1",
        actor: "MachineSet s1",
        reason: "UnhealthyNode",
        outcome: "open",
      },
      { at: at("10:30:00"), machine: "default/m2", reason: "UnhealthyNode", outcome: "open" },
    ]);
  });

  it("ignore Events of other words and other kinds", () => {
    const node = { ...marked("m1", at("11:00:00")).involvedObject, kind: "Node" };
    const events = [
      marked("m1", at("11:00:00"), { message: "something else" }),
      marked("m1", at("11:00:00"), { involvedObject: node }),
    ];
    expect(listOf({ events })).toEqual([]);
  });
});

function withUid(machine: Machine, uid: string): Machine {
  return { ...machine, metadata: { ...machine.metadata, uid } };
}

import { describe, expect, it } from "vitest";
import {
  type RemediationSources,
  remediationsOf,
} from "../../../../infra/cli/remediations/remediation-list.ts";
import type { Event } from "../../../../shared/api/core.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { RemediationEntry } from "../../../../shared/api/remediation-policy.ts";
import {
  FAILED_AT_ANNOTATION,
  FAILURE_ANNOTATION,
  RECOVERY_REASON,
} from "../../../../shared/rules/machines/remediation-events.ts";
import { eventNameOf } from "../../../../shared/runtime/write/send-events.ts";
import { at, failed, LONG_AGO, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { healthCheck, since } from "../../../support/health-checks.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";

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
  const nothing = {
    events: [],
    recoveries: [],
    waits: [],
    machines: [],
    checks: [healthCheck()],
    policies: [],
  };
  return remediationsOf({ ...nothing, ...sources });
}

const handedOver = since(at("11:00:00"), "OwnerRemediated", "False");
const ONE = { at: at("11:00:00"), healthCheck: "default/h1", machine: "default/m1", uid: "uid-m1" };

describe("the remediations that an API server still knows", () => {
  it.each<[string, readonly Machine[], object]>([
    [
      "open, with reason and owner",
      [machineWith("m1", failed(), handedOver)],
      { reason: "UnhealthyNode", failedAt: LONG_AGO, actor: "MachineSet s1", outcome: "open" },
    ],
    [
      "recovered, with its end",
      [machineWith("m1", succeeded(at("11:05:00")))],
      { actor: "MachineSet s1", outcome: "recovered", endedAt: at("11:05:00") },
    ],
    ["gone with its Machine, which nothing has replaced as far as is known", [], { outcome: "gone" }],
    [
      "gone, also when another Machine has its name",
      [withUid(machineWith("m1", succeeded()), "uid-new")],
      { outcome: "gone" },
    ],
  ])("are %s", (...[, machines, more]) => {
    expect(listOf({ events: [marked("m1", at("11:00:00"))], machines })).toEqual([{ ...ONE, ...more }]);
  });

  it("of a Machine that is gone have what the Event says: who has acted, reason, failure, whether it recovered before", () => {
    const annotations = {
      [FAILED_AT_ANNOTATION]: at("10:59:00"),
      [FAILURE_ANNOTATION]: "NodeStartupTimeout",
    };
    const metadata = { name: "m1.1", namespace: "default", resourceVersion: "1", annotations };
    const related = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", name: "s1" };
    const mark = marked("m1", at("11:00:00"), { metadata, related });
    const reported = { reason: "NodeStartupTimeout", failedAt: at("10:59:00"), actor: "MachineSet s1" };
    expect(listOf({ events: [mark] })).toEqual([{ ...ONE, ...reported, outcome: "replaced" }]);
    const recoveries = [marked("m1", at("11:05:00"), { reason: RECOVERY_REASON })];
    expect(listOf({ events: [mark], recoveries })).toEqual([
      { ...ONE, ...reported, outcome: "recovered", endedAt: at("11:05:00") },
    ]);
    const ownerless = entryOf("m1", { outcome: "Deleted", endedAt: at("11:20:00") });
    const policies = [remediationPolicy({ status: { remediations: [ownerless] } })];
    expect(listOf({ policies })).toMatchObject([{ outcome: "gone" }]);
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

  it("name what acted then, not the template that the health check has now", () => {
    const templateRef = { apiVersion: "a.b/v1", kind: "FooRemediationTemplate", name: "t" };
    const checks = [healthCheck({ spec: { remediation: { templateRef } } })];
    const related = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", name: "s0" };
    expect(listOf({ events: [marked("m1", at("11:00:00"), { related })], checks })).toMatchObject([
      { actor: "MachineSet s0", outcome: "replaced" },
    ]);
    const entry = entryOf("m1", { by: "ExternalController", actor: "BarRemediation m1" });
    expect(listOf({ policies: [policyWith(entry)], checks })).toMatchObject([{ actor: "BarRemediation m1" }]);
    const events = [{ ...handedOverEvent(), related }];
    expect(listOf({ policies: [policyWith(entry)], events, checks })).toMatchObject([
      { actor: "MachineSet s0" },
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
        uid: "uid-m1",
        actor: "MachineSet s1",
        reason: "UnhealthyNode",
        failedAt: LONG_AGO,
        outcome: "open",
      },
      {
        at: at("10:30:00"),
        machine: "default/m2",
        uid: "uid-m2",
        reason: "UnhealthyNode",
        failedAt: LONG_AGO,
        outcome: "open",
      },
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

const FAILED_AT = at("10:59:00");
const RECORDED = {
  ...ONE,
  reason: "UnhealthyNode",
  failedAt: FAILED_AT,
  waitedFor: ["calm"],
};

/** Policy r1 with these entries. */
function policyWith(...remediations: readonly RemediationEntry[]) {
  return remediationPolicy({ status: { remediations } });
}

/** The Event of the hand-over after this failure, stamped by a clock that is late. */
function handedOverEvent(healthCheck = "h1", failedAt = FAILED_AT): Event {
  const { firstTimestamp: _, ...event } = marked("m1", "");
  const message = `Machine default/m1 has been marked as unhealthy by default/${healthCheck}`;
  const named = { reason: event.reason, message, occasion: failedAt };
  const name = eventNameOf({ name: "m1", uid: "uid-m1" }, named);
  return { ...event, message, metadata: { ...event.metadata, name }, firstTimestamp: at("10:59:45") };
}

describe("the remediations that policies remember", () => {
  it.each<[string, Partial<RemediationEntry>, object]>([
    [
      "recovered",
      { outcome: "Recovered", endedAt: at("11:10:00") },
      { outcome: "recovered", endedAt: at("11:10:00") },
    ],
    [
      "replaced",
      { outcome: "Deleted", endedAt: at("11:10:00"), controller: "MachineSet s1" },
      { outcome: "replaced", endedAt: at("11:10:00") },
    ],
    [
      "withdrawn",
      { outcome: "Withdrawn", endedAt: at("11:10:00") },
      { outcome: "withdrawn", endedAt: at("11:10:00") },
    ],
    ["escalated, and under way", { outcome: "Escalated" }, { outcome: "escalated" }],
    ["replaced before the history says so", { controller: "MachineSet s1" }, { outcome: "replaced" }],
    ["gone, where nothing controlled the Machine", {}, { outcome: "gone" }],
  ])("are %s", (...[, entry, expected]) => {
    expect(listOf({ policies: [policyWith(entryOf("m1", entry))] })).toEqual([{ ...RECORDED, ...expected }]);
  });

  it("have the owner that is known from other Machines, or the request of the template", () => {
    const [owned, sibling] = [entryOf("m1", { controller: "uid-s1" }), machineWith("m2")];
    expect(listOf({ policies: [policyWith(owned)], machines: [sibling] })).toMatchObject([
      { actor: "MachineSet s1" },
    ]);
    const outside = policyWith(entryOf("m1", { by: "ExternalController" }));
    expect(listOf({ policies: [outside] })).toMatchObject([{ actor: "external controller" }]);
    const templateRef = { apiVersion: "a.b/v1", kind: "FooRemediationTemplate", name: "t" };
    const checks = [healthCheck({ spec: { remediation: { templateRef } } })];
    expect(listOf({ policies: [outside], checks })).toMatchObject([{ actor: "FooRemediation m1" }]);
  });

  it("are under way as their Machine says", () => {
    const machines = [machineWith("m1", failed(FAILED_AT), handedOver)];
    expect(listOf({ policies: [policyWith(entryOf("m1"))], machines })).toEqual([
      { ...RECORDED, outcome: "open" },
    ]);
  });

  it("are shown once, whatever else shows them: an Event, a condition, another policy, a verdict", () => {
    const verdicts = [
      { machine: { name: "m1", uid: "uid-m1" }, failedAt: FAILED_AT, reason: "UnhealthyNode" },
    ];
    const ended = entryOf("m1", { outcome: "Deleted", endedAt: at("11:10:00"), controller: "MachineSet s1" });
    const policies = [
      remediationPolicy({ status: { remediations: [ended], verdicts } }),
      remediationPolicy({ metadata: { name: "r2" }, status: { remediations: [entryOf("m1")], verdicts } }),
    ];
    const machines = [machineWith("m1", failed(FAILED_AT), handedOver)];
    expect(listOf({ events: [handedOverEvent()], machines, policies })).toMatchObject([
      { ...RECORDED, outcome: "replaced", endedAt: at("11:10:00") },
    ]);
  });

  it("stand beside those before the policy and after it", () => {
    const policies = [policyWith(entryOf("m1", { outcome: "Recovered", endedAt: at("11:05:00") }))];
    const events = [marked("m1", at("10:00:00")), handedOverEvent(), handedOverEvent("h1", at("11:50:00"))];
    const later = { ...(events[2] as Event), firstTimestamp: at("11:51:00") };
    const machines = [machineWith("m1", failed(at("11:50:00")), handedOver)];
    expect(listOf({ events: [...events.slice(0, 2), later], machines, policies })).toMatchObject([
      { at: at("11:51:00"), outcome: "open" },
      { at: at("11:00:00"), outcome: "recovered", endedAt: at("11:05:00") },
      { at: at("10:00:00"), outcome: "recovered" },
    ]);
  });

  it("name the health check that has used the entry of another one, and a second hand-over of its own", () => {
    const policies = [policyWith(entryOf("m1"))];
    expect(listOf({ events: [handedOverEvent("h2")], policies })).toMatchObject([
      { healthCheck: "default/h2" },
    ]);
    const both = listOf({ events: [handedOverEvent("h2"), handedOverEvent()], policies });
    expect(both.map(({ healthCheck }) => healthCheck)).toEqual(["default/h1", "default/h2"]);
  });

  it("say what they waited for between failure and begin", () => {
    const waits = [waitEvent("10:59:30"), waitEvent("11:00:01")];
    expect(listOf({ policies: [policyWith(entryOf("m1"))], waits: waits.slice(0, 1) })).toMatchObject([
      { waitedFor: ["RemediationPolicy r1"] },
    ]);
    expect(listOf({ policies: [policyWith(entryOf("m1"))], waits: waits.slice(1) })).toMatchObject([
      { waitedFor: ["calm"] },
    ]);
    const machines = [machineWith("m1", failed(FAILED_AT), handedOver)];
    expect(listOf({ events: [marked("m1", at("11:00:00"))], machines, waits })).toMatchObject([
      { failedAt: FAILED_AT, waitedFor: ["RemediationPolicy r1"] },
    ]);
  });

  it("do not say that calm took longer than it may, where the Event of the reason is gone", () => {
    const [found] = listOf({ policies: [policyWith(entryOf("m1", { startedAt: at("13:00:00") }))] });
    expect(found).toMatchObject({ failedAt: FAILED_AT, at: at("13:00:00") });
    expect(found).not.toHaveProperty("waitedFor");
  });

  it("list recorded failures after which nothing was begun", () => {
    const verdictOf = (name: string) => {
      return { machine: { name, uid: `uid-${name}` }, failedAt: FAILED_AT, reason: "UnhealthyNode" };
    };
    const status = { verdicts: [verdictOf("m1"), verdictOf("m2")] };
    expect(listOf({ policies: [remediationPolicy({ status })], events: [handedOverEvent()] })).toMatchObject([
      { machine: "default/m1", outcome: "gone" },
      { at: FAILED_AT, machine: "default/m2", failedAt: FAILED_AT, outcome: "not started" },
    ]);
  });
});

function waitEvent(time: string): Event {
  const message = "Remediation of m1 waits for RemediationPolicy r1: 1 remediations have begun";
  const event = marked("m1", at(time), { reason: "RemediationBlocked", message });
  return { ...event, involvedObject: { ...event.involvedObject, kind: "MachineHealthCheck", name: "h1" } };
}

function withUid(machine: Machine, uid: string): Machine {
  return { ...machine, metadata: { ...machine.metadata, uid } };
}

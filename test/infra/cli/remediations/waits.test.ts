import { describe, expect, it } from "vitest";
import { handOver } from "../../../../functions/mhc/rules/hand-over.ts";
import {
  blocked,
  heldNotices,
  refusalNotices,
  restrictedByPlaces,
} from "../../../../functions/mhc/rules/notices.ts";
import type { Occupant } from "../../../../functions/mhc/rules/places.ts";
import { waitedFor, waitOf } from "../../../../infra/cli/remediations/waits.ts";
import type { Event } from "../../../../shared/api/core.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Notice } from "../../../../shared/function/define-function.ts";
import { at, failed, limitedCheck, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { since } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

const UNHEALTHY = { is: "unhealthy", reason: "UnhealthyNode", texts: [] } as const;

function eventOf(message = "", overrides: Partial<Event> = {}): Event {
  const [apiVersion, kind] = ["cluster.x-k8s.io/v1beta2", "MachineHealthCheck"];
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "e", namespace: "default", resourceVersion: "1" },
    involvedObject: { apiVersion, kind, namespace: "default", name: "h1" },
    reason: "RemediationBlocked",
    message,
    type: "Warning",
    firstTimestamp: at("11:00:00"),
    ...overrides,
  };
}

const heldBy = (...names: readonly string[]) =>
  heldNotices(
    limitedCheck(),
    names.map((name) => machineWith(name, failed())),
  );

/** Of an Event; the health check where a notice names nothing else. */
function subjectOf(about: KubeObject | undefined): Partial<Event> {
  if (about === undefined) return {};
  const { apiVersion, kind, metadata } = about;
  return { involvedObject: { apiVersion, kind, namespace: "default", name: metadata.name } };
}

/** Why a failed Machine waits beside another one. */
function waitBeside(other: Occupant) {
  const own = { machine: machineWith("m1", failed()), verdict: UNHEALTHY, hasRequest: false };
  return handOver({ check: limitedCheck(), occupants: [own, other], now: NOW }).waits;
}

const handedOver = since(at("11:59:50"), "OwnerRemediated", "False");
const RECOVERING: Occupant = {
  machine: machineWith("m2", succeeded(at("11:59:55")), handedOver),
  verdict: { is: "healthy" },
  hasRequest: false,
};
const BROKEN: Occupant = { ...RECOVERING, machine: machineWith("m2", failed()), verdict: UNHEALTHY };

const refused = (name: string) => {
  return {
    machine: machineWith(name, failed()),
    by: "RemediationPolicy r1",
    text: "2 remediations have begun",
  };
};

describe("what remediation waited for, in the words of the functions", () => {
  it.each<[string, readonly Pick<Notice, "message" | "about">[], object]>([
    [
      "a policy",
      refusalNotices([refused("m1"), refused("m2")]),
      { for: "RemediationPolicy r1", machines: ["m1", "m2"] },
    ],
    [
      "a policy, with more Machines than it names",
      refusalNotices(["m1", "m2", "m3", "m4"].map(refused)),
      { for: "RemediationPolicy r1" },
    ],
    ["a hold", heldBy("m1"), { for: "annotation capstan.dev/hold-remediation", machines: ["m1"] }],
    ["a server", [blocked("nodes is forbidden")], { for: "live read" }],
    ["places", restrictedByPlaces(waitBeside(RECOVERING), []), { for: "places" }],
    ["the limit", [{ message: waitBeside(BROKEN)?.text ?? "" }], { for: "limit" }],
  ])("is %s", (...[, notices, expected]) => {
    const found = notices.flatMap(({ message, about }) => waitOf(eventOf(message, subjectOf(about))));
    expect(found).toEqual([{ at: at("11:00:00"), healthCheck: "default/h1", ...expected }]);
  });

  it("is nothing in Events of other words, of other kinds or without a time", () => {
    const { involvedObject } = eventOf();
    expect(waitOf(eventOf("something else"))).toEqual([]);
    const [{ message = "" } = {}] = refusalNotices([refused("m1")]);
    for (const kind of ["Machine", "Node"]) {
      expect(waitOf(eventOf(message, { involvedObject: { ...involvedObject, kind } }))).toEqual([]);
    }
    expect(waitOf(eventOf(message, { firstTimestamp: undefined }))).toEqual([]);
  });

  it("counts between failure and begin, for the Machine or for all, once each", () => {
    const wait = { at: at("11:00:00"), healthCheck: "default/h1", for: "limit" };
    const ofM1 = { ...wait, for: "RemediationPolicy r1", machines: ["m1"] };
    const waits = [wait, wait, ofM1, { ...wait, healthCheck: "default/h2", for: "places" }];
    const waiting = { healthCheck: "default/h1", failedAt: at("10:59:00"), at: at("11:00:00") };
    expect(waitedFor(waits, { ...waiting, machine: "m1" })).toEqual(["limit", "RemediationPolicy r1"]);
    expect(waitedFor(waits, { ...waiting, machine: "m2" })).toEqual(["limit"]);
    expect(waitedFor(waits, { ...waiting, machine: "m1", failedAt: at("11:00:06") })).toEqual([]);
    expect(waitedFor(waits, { ...waiting, machine: "m1", at: at("10:59:59") })).toEqual([]);
  });

  it("counts what a function says before another one has written the condition", () => {
    const waits = [{ at: at("10:59:58"), healthCheck: "default/h1", for: "limit" }];
    const waiting = { healthCheck: "default/h1", failedAt: at("11:00:00"), at: at("11:05:00") };
    expect(waitedFor(waits, { ...waiting, machine: "m1" })).toEqual(["limit"]);
  });
});

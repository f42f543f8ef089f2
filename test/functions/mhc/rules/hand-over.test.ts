import { describe, expect, it } from "vitest";
import { type HandOver, handOver, handOverChanges } from "../../../../functions/mhc/rules/hand-over.ts";
import type { Occupant } from "../../../../functions/mhc/rules/places.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../../shared/api/machinehealthcheck.ts";
import { OWNED_BY_S1 } from "../../../support/foo-sets.ts";
import { healthCheck, since, target } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

/** `NOW` is 12:00:00. */
const at = (time: string) => `2026-01-01T${time}Z`;
const ms = (time: string) => Date.parse(at(time));
const LONG_AGO = at("08:00:00");
const HEALTHY: Verdict = { is: "healthy" };
const UNHEALTHY: Verdict = { is: "unhealthy", reason: "UnhealthyNode", texts: ["broken"] };
const templateRef = { apiVersion: "r.dev/v1", kind: "FooTemplate", name: "t" };

type Trigger = NonNullable<MachineHealthCheck["spec"]["remediation"]>["triggerIf"];
const ONE: Trigger = { unhealthyLessThanOrEqualTo: 1 };

function machineWith(name: string, ...conditions: readonly Condition[]): Machine {
  const machine = target(name, { status: { conditions } });
  return { ...machine, metadata: { ...machine.metadata, ownerReferences: [OWNED_BY_S1] } };
}

const failed = (time = LONG_AGO) => since(time, "HealthCheckSucceeded", "False");
const succeeded = (time = LONG_AGO) => since(time, "HealthCheckSucceeded", "True");
const ownerSays = (status: Condition["status"], reason = "Because") =>
  since(LONG_AGO, "OwnerRemediated", status, reason);
const marked = since(LONG_AGO, "ExternallyRemediated", "False");

function broken(name: string, ...conditions: readonly Condition[]): Occupant {
  return { machine: machineWith(name, ...conditions), verdict: UNHEALTHY, hasRequest: false };
}

function well(name: string, ...conditions: readonly Condition[]): Occupant {
  return { machine: machineWith(name, ...conditions), verdict: HEALTHY, hasRequest: false };
}

function decide(
  occupants: readonly Occupant[],
  triggerIf: Trigger = ONE,
  more: { readonly templateRef?: typeof templateRef } = {},
): HandOver {
  const remediation = { ...more, ...(triggerIf === undefined ? {} : { triggerIf }) };
  const check = healthCheck({ spec: { remediation } });
  return handOver({ check, occupants, now: NOW });
}

const names = ({ chosen }: HandOver) => chosen.map(({ metadata }) => metadata.name);

describe("a hand-over to the owner", () => {
  it("takes all candidates while those that use a place are within the limit", () => {
    const two = [broken("a", failed()), broken("b", failed()), well("c", succeeded())];
    expect(names(decide(two, { unhealthyLessThanOrEqualTo: 2 }))).toEqual(["a", "b"]);
    const blocked = decide(two, ONE);
    expect(names(blocked)).toEqual([]);
    expect(blocked.waits?.because).toBe("limit");
    expect(blocked.waits?.text).toMatch(/exceeds maxUnhealthy \(total: 3, unhealthy: 2, maxUnhealthy: 1\)$/);
  });

  it.each<[string, Occupant]>([
    ["is not shown as failed by the list", broken("a", succeeded())],
    ["has no check at all", broken("a")],
    ["is on its way to fail", { ...broken("a", failed()), verdict: { is: "pending", untilMs: 0 } }],
    ["is with its owner", broken("a", failed(), ownerSays("False"))],
    ["is with an owner that is not sure", broken("a", failed(), ownerSays("Unknown"))],
  ])("with a limit leaves out a target that %s", (_, occupant) => {
    const older = [{ type: "OwnerRemediated", status: "False", lastTransitionTime: LONG_AGO }];
    const machine = {
      ...occupant.machine,
      status: { ...occupant.machine.status, deprecated: { v1beta1: { conditions: older } } },
    };
    expect(decide([{ ...occupant, machine }])).toEqual({ chosen: [], leftOvers: [] });
  });

  it("leaves out one that is being deleted, and takes one whose earlier remediation is over", () => {
    const gone = broken("a", failed());
    const metadata = { ...gone.machine.metadata, deletionTimestamp: LONG_AGO };
    expect(names(decide([{ ...gone, machine: { ...gone.machine, metadata } }]))).toEqual([]);
    expect(names(decide([broken("a", failed(), ownerSays("True"))]))).toEqual(["a"]);
  });

  it("without a limit needs no reservation and no calm", () => {
    const fresh = broken("a", since(at("11:59:59"), "HealthCheckSucceeded", "True"));
    expect(names(decide([fresh, broken("b")], {}))).toEqual(["a", "b"]);
    expect(names(decide([fresh], { unhealthyLessThanOrEqualTo: "100%" }))).toEqual(["a"]);
  });

  it("is stopped by a limit that cannot be read, and says so", () => {
    const found = decide([broken("a", failed())], { unhealthyLessThanOrEqualTo: "10" });
    expect(found).toMatchObject({
      chosen: [],
      waits: { because: "limit", text: expect.stringMatching(/^spec\.remediation\.triggerIf/) },
    });
  });

  it("waits for a Machine that seems healthy while its owner may still act, and names it", () => {
    const recovered = well("c", succeeded(at("11:59:30")), ownerSays("False"));
    expect(decide([broken("a", failed()), recovered])).toEqual({
      chosen: [],
      leftOvers: [],
      waits: {
        because: "places",
        text: "Remediation waits for Machines that seem healthy and may still be remediated: c (places: 1, used: 2)",
      },
      againAtMs: ms("12:00:31"),
    });
  });

  it("takes a place back that an owner has left occupied for a minute, only for another one", () => {
    const recovered = well("c", succeeded(at("11:58:59")), ownerSays("False"));
    const found = decide([broken("a", failed()), recovered]);
    expect(found.leftOvers.map(({ metadata }) => metadata.name)).toEqual(["c"]);
    expect([names(found), found.againAtMs]).toEqual([[], undefined]);
    expect(decide([recovered])).toEqual({ chosen: [], leftOvers: [] });
  });

  it("being careful never enables a range", () => {
    const recovered = well("c", succeeded(at("11:59:30")), ownerSays("False"));
    const range = { unhealthyInRange: "[2-5]" };
    expect(names(decide([broken("a", failed()), recovered], range))).toEqual([]);
    expect(names(decide([broken("a", failed()), broken("b", failed()), recovered], range))).toEqual([
      "a",
      "b",
    ]);
  });

  it("waits for calm, each for itself", () => {
    const restless = [broken("a", failed(at("11:58:00"))), broken("b", failed(at("11:59:58")))];
    expect(decide(restless, { unhealthyLessThanOrEqualTo: 2 })).toMatchObject({
      chosen: [{ metadata: { name: "a" } }],
      waits: { because: "calm", text: "Remediation waits until no health check has changed for 5 s" },
      againAtMs: ms("12:00:04"),
    });
  });
});

describe("a hand-over to an external controller", () => {
  const external = (occupants: readonly Occupant[]) => decide(occupants, ONE, { templateRef });

  it("takes those that are marked for it and have no request", () => {
    expect(names(external([broken("a", failed(), marked)]))).toEqual(["a"]);
    expect(names(external([broken("a", failed())]))).toEqual([]);
    expect(names(external([{ ...broken("a", failed(), marked), hasRequest: true }]))).toEqual([]);
    expect(names(external([broken("a", succeeded(), marked)]))).toEqual([]);
  });

  it("takes one that is being deleted, as upstream does", () => {
    const gone = broken("a", failed(), marked);
    const metadata = { ...gone.machine.metadata, deletionTimestamp: LONG_AGO };
    expect(names(external([{ ...gone, machine: { ...gone.machine, metadata } }]))).toEqual(["a"]);
  });

  it("counts a request of a healthy Machine", () => {
    const waited = { ...well("c", succeeded()), hasRequest: true };
    expect(names(external([broken("a", failed(), marked), waited]))).toEqual([]);
  });
});

describe("the condition OwnerRemediated", () => {
  const older = (status: string) => [{ type: "OwnerRemediated", status, lastTransitionTime: LONG_AGO }];
  const changesOf = (present: readonly Condition[], deprecated: ReturnType<typeof older> | undefined) => {
    const status = {
      conditions: present,
      ...(deprecated === undefined ? {} : { deprecated: { v1beta1: { conditions: deprecated } } }),
    };
    const changes = handOverChanges({ ...target(), status });
    return [changes.present?.length, changes.deprecated?.length];
  };

  it.each<[string, readonly Condition[], ReturnType<typeof older> | undefined, readonly number[]]>([
    ["absent in both", [], undefined, [1, 1]],
    ["True in both", [ownerSays("True")], older("True"), [1, 1]],
    ["False in one", [ownerSays("False")], undefined, [0, 1]],
    ["False in the older one", [], older("False"), [1, 0]],
    ["Unknown in both", [ownerSays("Unknown")], older("Unknown"), [0, 0]],
    ["marked by the owner", [ownerSays("False", "MachineDeleting")], older("True"), [0, 0]],
  ])("is written in each family by itself: %s", (...[, present, deprecated, counts]) => {
    expect(changesOf(present, deprecated)).toEqual(counts);
  });

  it("has the words of Cluster API", () => {
    expect(handOverChanges(target())).toEqual({
      present: [
        {
          type: "OwnerRemediated",
          status: "False",
          reason: "WaitingForRemediation",
          message: "Waiting for remediation",
        },
      ],
      deprecated: [
        {
          type: "OwnerRemediated",
          status: "False",
          severity: "Warning",
          reason: "WaitingForRemediation",
        },
      ],
    });
  });
});

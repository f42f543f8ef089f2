import { describe, expect, it } from "vitest";
import type { SimRemediation } from "../../../../../../infra/playground/api/sim-remediation.ts";
import {
  giveUpPatch,
  instanceOf,
  rebootPatch,
  repairStep,
} from "../../../../../../infra/playground/functions/sim/rules/remediation.ts";
import { since, target } from "../../../../../support/health-checks.ts";
import { patched } from "../../../../../support/patched.ts";
import { simInstance, simRemediation } from "../../../../../support/sim.ts";
import { NOW } from "../../../../../support/world.ts";

const NOON = "2026-01-01T12:00:00Z";
const BEFORE = "2026-01-01T11:50:00Z";
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000).toISOString();

type Status = NonNullable<SimRemediation["status"]>;

function step(status: Status | undefined, spec: Partial<SimRemediation["spec"]> = {}) {
  return repairStep(simRemediation("m1", { status, spec }), simInstance("m1"), NOW);
}

describe("the course of a simulated repair", () => {
  it("reboots after its delay, waits for its timeout, and tries again as often as it may", () => {
    expect(step(undefined)).toMatchObject({
      status: { phase: "Running", retryCount: 0, lastRemediated: NOON },
      reboots: false,
      nextInMs: 2_000,
    });
    const running: Status = { phase: "Running", retryCount: 0, lastRemediated: ago(1) };
    expect(step(running)).toEqual({ status: running, reboots: false, givesUp: false, nextInMs: 1_000 });
    expect(step({ ...running, lastRemediated: ago(2) })).toMatchObject({
      status: { phase: "Waiting", lastRemediated: NOON },
      reboots: true,
      nextInMs: 60_000,
    });
    const waiting: Status = { phase: "Waiting", retryCount: 0, lastRemediated: ago(59) };
    expect(step(waiting)).toMatchObject({ status: waiting, reboots: false, nextInMs: 1_000 });
    expect(step({ ...waiting, lastRemediated: ago(60) })).toMatchObject({
      status: { phase: "Running", retryCount: 1, lastRemediated: NOON },
      reboots: false,
    });
  });

  it("gives up when the last try has failed, and says so until the request goes", () => {
    const waiting: Status = { phase: "Waiting", retryCount: 1, lastRemediated: ago(60) };
    const over = { ...waiting, phase: "Deleting machine" };
    expect(step(waiting)).toEqual({ status: over, reboots: false, givesUp: true });
    expect(step({ ...waiting, retryCount: 0 }, { retryLimit: 0 })).toMatchObject({ givesUp: true });
    expect(step({ ...waiting, phase: "Deleting machine" })).toMatchObject({ status: over, givesUp: true });
  });

  it("fails for a Machine without instance, and leaves that as it is", () => {
    const failed = repairStep(simRemediation("m1"), undefined, NOW);
    expect(failed).toEqual({ status: { phase: "Failed" }, reboots: false, givesUp: false });
    expect(step({ phase: "Failed" })).toEqual(failed);
  });

  it("finds the instance of a simulated Machine only", () => {
    expect(instanceOf(target())).toBeUndefined();
    const infrastructureRef = {
      apiGroup: "infrastructure.sim.capstan.dev",
      kind: "SimMachine",
      name: "i7",
    };
    expect(instanceOf(target("m1", { spec: { infrastructureRef } }))).toBe("i7");
  });

  it("takes the failures away with a reboot that helps, and counts each", () => {
    const broken = simInstance("m1", { spec: { faults: { node: "Gone" }, reboots: 4 } });
    const helped = rebootPatch(broken, true);
    expect(patched(broken, helped.operations)).toMatchObject({ spec: { faults: {}, reboots: 5 } });
    expect(helped.target).toMatchObject({ name: "m1", uid: "uid-m1" });
    expect(helped.target).not.toHaveProperty("resourceVersion");
    expect(patched(simInstance("m1"), rebootPatch(broken, false).operations)).toMatchObject({
      spec: { reboots: 5 },
    });
  });
});

describe("a simulated repair that gives up", () => {
  const failed = since(BEFORE, "HealthCheckSucceeded", "False");
  const given = (machine = target("m1", { status: { conditions: [failed] } }), spec = {}) =>
    giveUpPatch(machine, simRemediation("m1", { spec }), NOW).flatMap(
      ({ operations }) => patched(machine, operations).status ?? [],
    );

  it("leaves the Machine to its owner, in both lists of conditions or in the deprecated one", () => {
    const mark = { type: "OwnerRemediated", status: "False", reason: "WaitingForRemediation" };
    expect(given()).toMatchObject([
      {
        conditions: [failed, { ...mark, lastTransitionTime: NOON }],
        deprecated: { v1beta1: { conditions: [{ ...mark, severity: "Warning" }] } },
      },
    ]);
    expect(given(undefined, { gaveUpIn: "Deprecated" })).toMatchObject([
      { conditions: [failed], deprecated: { v1beta1: { conditions: [mark] } } },
    ]);
  });

  it("writes over a remediation that is over, and leaves one that its owner is at", () => {
    const withOwner = (status: "True" | "False" | "Unknown") =>
      given(target("m1", { status: { conditions: [failed, since(BEFORE, "OwnerRemediated", status)] } }));
    expect(withOwner("True")).toMatchObject([{ conditions: [failed, { status: "False" }] }]);
    for (const status of ["False", "Unknown"] as const) {
      expect(withOwner(status)).toMatchObject([
        { conditions: [failed, { status, lastTransitionTime: BEFORE }] },
      ]);
    }
  });

  it("writes nothing on a Machine that is healthy again or is being deleted", () => {
    const healthy = since(BEFORE, "HealthCheckSucceeded", "True");
    expect(given(target("m1", { status: { conditions: [healthy] } }))).toEqual([]);
    const metadata = { deletionTimestamp: BEFORE, finalizers: ["x"] };
    expect(given(target("m1", { metadata, status: { conditions: [failed] } }))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { RemediationEntry, RemediationPolicy } from "../../../../shared/api/remediation-policy.ts";
import { keptEntries, refusalOf } from "../../../../shared/rules/machines/remediation-limits.ts";
import { at, failed, machineWith } from "../../../support/checked-machines.ts";
import { OWNED_BY_S1 } from "../../../support/foo-sets.ts";
import { since, target } from "../../../support/health-checks.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";
import { NOW } from "../../../support/world.ts";

const ms = (time: string) => Date.parse(at(time));
const ended = (endedAt: string): Partial<RemediationEntry> => ({ outcome: "Recovered", endedAt });

function refusal(
  spec: Partial<RemediationPolicy["spec"]>,
  entries: readonly RemediationEntry[],
  more: { readonly machine?: Machine; readonly controlPlane?: readonly Machine[] } = {},
) {
  const { machine = machineWith("m1", failed()), controlPlane = [] } = more;
  return refusalOf({ policy: remediationPolicy({ spec }), entries, machine, controlPlane, now: NOW });
}

describe("a policy", () => {
  it("without limits refuses nothing", () => {
    expect(refusal({}, [entryOf("m2"), entryOf("m1", ended(at("11:59:59")))])).toBeUndefined();
  });

  it("lets so many remediations begin in its window, and says when the next one may", () => {
    const pacing = { maxRemediations: 2, windowSeconds: 3_600 };
    const entries = ["11:30:00", "11:10:00", "10:59:00"].map((time, index) =>
      entryOf(`x${index}`, { startedAt: at(time) }),
    );
    expect(refusal({ pacing }, entries)).toEqual({
      text: "2 remediations have begun within 3600 s (spec.pacing)",
      untilMs: ms("12:10:00"),
    });
    expect(refusal({ pacing }, entries.slice(1))).toBeUndefined();
    // The window is over exactly then.
    const edge = [entryOf("x", { startedAt: at("11:00:00") }), entryOf("y", { startedAt: at("11:30:00") })];
    expect(refusal({ pacing }, edge)).toBeUndefined();
  });

  it("leaves a Machine alone for a time after its last remediation, and no other", () => {
    const entries = [entryOf("m1", ended(at("11:50:00"))), entryOf("m1", ended(at("11:40:00")))];
    expect(refusal({ cooldownSeconds: 1_200 }, entries)).toEqual({
      text: "its last remediation ended less than 1200 s ago (spec.cooldownSeconds)",
      untilMs: ms("12:10:00"),
    });
    expect(refusal({ cooldownSeconds: 600 }, entries)).toBeUndefined();
    expect(refusal({ cooldownSeconds: 1_200 }, [entryOf("m2", ended(at("11:50:00")))])).toBeUndefined();
  });

  it("remediates a Machine, and the Machines of one owner, so often in its window", () => {
    const retries = { perMachine: 1, windowSeconds: 7_200 };
    expect(refusal({ retries }, [entryOf("m1", ended(at("11:20:00")))])).toEqual({
      text: "1 remediations of it have begun within 7200 s (spec.retries.perMachine)",
      untilMs: ms("13:00:00"),
    });
    expect(refusal({ retries }, [entryOf("m2")])).toBeUndefined();
    const perOwner = { perController: 1, windowSeconds: 7_200 };
    const other = entryOf("m2", { controller: "MachineSet s1" });
    expect(refusal({ retries: perOwner }, [other])?.text).toContain("of Machines of its owner");
    // As earlier versions have written it.
    const older = entryOf("m2", { controller: OWNED_BY_S1.uid });
    expect(refusal({ retries: perOwner }, [older])?.text).toContain("of Machines of its owner");
    expect(refusal({ retries: perOwner }, [entryOf("m2", { controller: "another" })])).toBeUndefined();
    expect(refusal({ retries: perOwner }, [other], { machine: target("m1") })).toBeUndefined();
  });

  it("with a budget of 0 never remediates", () => {
    expect(refusal({ retries: { perMachine: 0, windowSeconds: 60 } }, [])).toEqual({
      text: "0 remediations of it have begun within 60 s (spec.retries.perMachine)",
    });
  });
});

describe("a policy that keeps the quorum of the control plane", () => {
  const CONTROL_PLANE = { "cluster.x-k8s.io/control-plane": "" };
  const one = (name: string, ready: "True" | "False", more = {}) =>
    target(name, {
      metadata: { labels: { ...target().metadata.labels, ...CONTROL_PLANE }, ...more },
      status: { conditions: [since(at("10:00:00"), "Ready", ready)] },
    });
  const ask = (controlPlane: readonly Machine[], entries: readonly RemediationEntry[] = []) =>
    refusal({ controlPlaneQuorum: true }, entries, { machine: one("m1", "False"), controlPlane });

  it.each([
    [["False", "True", "True"], true],
    [["False", "False", "True"], false],
    [["False"], false],
    [["False", "True"], false],
    [["False", "True", "True", "True", "False"], true],
    [["False", "True", "True", "False", "False"], false],
  ] as const)("of %j lets the first one go: %s", (states, isAllowed) => {
    const machines = states.map((state, index) => one(`m${index + 1}`, state));
    expect(ask(machines) === undefined).toBe(isAllowed);
  });

  it("counts no Machine that is being deleted, and lets only one be under way", () => {
    const going = { deletionTimestamp: at("11:00:00"), finalizers: ["x"] };
    const machines = [one("m1", "False"), one("m2", "True", going), one("m3", "True")];
    expect(ask(machines)?.text).toBe(
      "1 of 3 control plane Machines would be healthy, and 2 must be (spec.controlPlaneQuorum)",
    );
    const healthy = [one("m1", "False"), one("m2", "True"), one("m3", "True")];
    expect(ask(healthy, [entryOf("m9", { controlPlane: true })])?.text).toContain("m9 is being remediated");
    expect(ask(healthy, [entryOf("m9", { controlPlane: true, ...ended(at("11:30:00")) })])).toBeUndefined();
    expect(ask(healthy, [entryOf("m9")])).toBeUndefined();
  });

  it("asks nothing of a worker", () => {
    const machine = machineWith("m1", failed());
    expect(refusal({ controlPlaneQuorum: true }, [], { machine, controlPlane: [] })).toBeUndefined();
  });
});

describe("the history of a policy", () => {
  const spec = { history: { maxEntries: 10 }, pacing: { maxRemediations: 5, windowSeconds: 3_600 } };
  const old = (name: string) => entryOf(name, { startedAt: at("08:00:00"), ...ended(at("09:00:00")) });

  it("loses its oldest entry that no limit looks at, when another one needs the room", () => {
    const entries = [
      entryOf("open", { startedAt: at("08:00:00") }),
      old("a"),
      old("b"),
      ...Array.from({ length: 7 }, (_, index) => entryOf(`x${index}`)),
    ];
    const kept = keptEntries(remediationPolicy({ spec }), entries, NOW);
    expect(kept.map(({ machine }) => machine.name)).toEqual([
      "open",
      "b",
      "x0",
      "x1",
      "x2",
      "x3",
      "x4",
      "x5",
      "x6",
    ]);
    expect(keptEntries(remediationPolicy({ spec }), entries.slice(0, 9), NOW)).toHaveLength(9);
  });

  it("that is full stops the hand-over", () => {
    const entries = Array.from({ length: 10 }, (_, index) =>
      entryOf(`x${index}`, { startedAt: at("08:00:00") }),
    );
    expect(refusal(spec, entries)?.text).toContain("its history is full: 10 entries");
    expect(refusal(spec, [old("a"), ...entries.slice(1)])).toBeUndefined();
  });
});

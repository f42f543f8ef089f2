import { describe, expect, it } from "vitest";
import {
  condition,
  mirrorCondition,
  setConditions,
  timestamp,
} from "../../../../shared/rules/conditions/conditions.ts";
import { infraMachinePool } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const EARLIER = "2026-01-01T08:00:00Z";
const READY = {
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "",
  observedGeneration: 1,
  lastTransitionTime: EARLIER,
} as const;

describe("setConditions", () => {
  it("keeps the transition time while the status stays, although reason and message change", () => {
    expect(setConditions([READY], [condition("Ready", "True", "Better", "text")], NOW, 2)).toEqual([
      { ...READY, reason: "Better", message: "text", observedGeneration: 2 },
    ]);
  });

  it("moves the transition time when the status changes", () => {
    const [changed] = setConditions([READY], [condition("Ready", "False", "NotReady")], NOW, 2);
    expect(changed?.lastTransitionTime).toBe("2026-01-01T12:00:00Z");
  });

  it("leaves conditions that are not mentioned as they are, and has Available and Ready first and Deleting last", () => {
    const types = ["Deleting", "example.com/B", "ScalingUp", "Paused", "NodeReady", "Alpha", "Available"];
    const desired = types.map((type) => condition(type, "True", "A"));
    const list = setConditions([READY], desired, NOW, 1);
    expect(list.map(({ type }) => type).join(" ")).toBe(
      "Available Ready NodeReady ScalingUp Alpha example.com/B Paused Deleting",
    );
    expect(list[1]).toBe(READY);
  });

  it("cuts reason and message to what every copy has room for", () => {
    const cut = condition("Ready", "False", "R".repeat(300), "m".repeat(20_000));
    expect(cut.reason).toHaveLength(256);
    expect(cut.message).toHaveLength(10_240);
    expect(cut.message.endsWith("…")).toBe(true);
  });
});

describe("timestamp", () => {
  it("is RFC 3339 in whole seconds", () => {
    expect(timestamp(new Date("2026-01-01T12:00:00.789Z"))).toBe("2026-01-01T12:00:00Z");
  });
});

describe("mirrorCondition", () => {
  const mirror = (status: object) =>
    mirrorCondition(infraMachinePool({ status: { ...status } }), "Ready", "InfrastructureReady", {
      False: "NotReady",
    });

  it("copies status, reason, message and time", () => {
    const ready = {
      type: "Ready",
      status: "False",
      reason: "Booting",
      message: "m",
      lastTransitionTime: EARLIER,
    };
    expect(mirror({ conditions: [ready] })).toEqual({
      type: "InfrastructureReady",
      status: "False",
      reason: "Booting",
      message: "m",
      changedAt: EARLIER,
    });
  });

  it("prefers status.v1beta2.conditions", () => {
    const status = {
      conditions: [{ type: "Ready", status: "False", reason: "Old" }],
      v1beta2: { conditions: [{ type: "Ready", status: "True", reason: "New" }] },
    };
    expect(mirror(status)).toMatchObject({ status: "True", reason: "New" });
  });

  it.each([
    ["True", "", "Ready"],
    ["True", "no word", "Ready"],
    ["False", undefined, "NotReady"],
    ["Unknown", "", "NoReasonReported"],
    ["False", "R".repeat(257), "NotReady"],
  ])("replaces a reason that cannot be copied: %s %j gives %s", (status, reason, expected) => {
    expect(mirror({ conditions: [{ type: "Ready", status, reason }] })?.reason).toBe(expected);
  });

  it.each([
    [{ type: "Ready" }, "status missing"],
    [{ type: "Ready", status: "yes" }, 'status "yes"'],
    [{ type: "Ready", status: "True", lastTransitionTime: "soon" }, 'lastTransitionTime "soon"'],
    [
      { type: "Ready", status: "True", lastTransitionTime: "2026-02-30T00:00:00Z" },
      'lastTransitionTime "2026-02-30T00:00:00Z"',
    ],
  ])("says Unknown for a condition that cannot be understood: %j", (reported, problem) => {
    expect(mirror({ conditions: [reported] })).toMatchObject({
      status: "Unknown",
      reason: "InvalidConditionReported",
      message: `FooMachinePool reports condition Ready with ${problem}`,
    });
  });

  it("is nothing when the object reports no such condition", () => {
    expect(mirror({ conditions: "none" })).toBeUndefined();
    expect(mirror({ conditions: [{ type: "Other", status: "True" }] })).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import {
  deprecatedCondition,
  mirrorDeprecatedCondition,
  setDeprecatedConditions,
  summarizeDeprecated,
} from "../../../../shared/rules/conditions/deprecated-conditions.ts";
import { infraMachinePool } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const TYPES = ["BootstrapReady", "InfrastructureReady", "ReplicasReady"];
const [BOOTSTRAP = "", INFRASTRUCTURE = "", REPLICAS = ""] = TYPES;
const AT = { lastTransitionTime: "2026-01-01T08:00:00Z" };

describe("the deprecated conditions", () => {
  it("leave empty texts out and cut long ones", () => {
    const entry = deprecatedCondition("A", "False", { reason: "", message: "m".repeat(20_000), severity: 7 });
    expect(Object.keys(entry)).toEqual(["type", "status", "message"]);
    expect(entry.message).toHaveLength(10_240);
  });

  it.each([
    ["status", deprecatedCondition("A", "True", { reason: "R" })],
    ["reason", deprecatedCondition("A", "False", { reason: "Other" })],
    ["severity", deprecatedCondition("A", "False", { reason: "R", severity: "Info" })],
    ["message", deprecatedCondition("A", "False", { reason: "R", message: "m" })],
  ])("move their time when the %s changes", (_, changed) => {
    const stored = { ...deprecatedCondition("A", "False", { reason: "R" }), ...AT };
    expect(setDeprecatedConditions([stored], [changed], NOW)[0]?.lastTransitionTime).toBe(
      "2026-01-01T12:00:00Z",
    );
    const same = deprecatedCondition("A", "False", { reason: "R" });
    expect(setDeprecatedConditions([stored], [same], NOW)).toEqual([stored]);
  });

  it("have Ready in front, the others by type, and keep the conditions that are not mentioned", () => {
    const stored = { ...deprecatedCondition("Zeta", "True"), ...AT };
    const list = setDeprecatedConditions(
      [stored],
      [deprecatedCondition("Alpha", "True"), deprecatedCondition("Ready", "True")],
      NOW,
    );
    expect(list.map(({ type }) => type)).toEqual(["Ready", "Alpha", "Zeta"]);
    expect(list[2]).toBe(stored);
  });

  it("copy a provider's condition as given, and treat one without a known status as absent", () => {
    const mirror = (ready: object) =>
      mirrorDeprecatedCondition(
        infraMachinePool({ status: { conditions: [{ type: "Ready", ...ready }] } }),
        "X",
      );
    expect(mirror({ status: "False", severity: "Warning", reason: "R", message: "m" })).toEqual({
      type: "X",
      status: "False",
      severity: "Warning",
      reason: "R",
      message: "m",
    });
    expect(mirror({ status: "maybe" })).toBeUndefined();
  });

  it.each([
    ["the deprecated list where there is one", [{ type: "Ready", status: "False" }], "False"],
    ["no other where that one is empty", [], undefined],
    ["the present list where the deprecated one is malformed", ["Ready"], "True"],
    ["the present list where there is no other", undefined, "True"],
  ])("copy a provider's Ready of %s", (_, conditions, status) => {
    const object = infraMachinePool({
      status: { conditions: [{ type: "Ready", status: "True" }], deprecated: { v1beta1: { conditions } } },
    });
    expect(mirrorDeprecatedCondition(object, "X")?.status).toBe(status);
  });

  it("stay in the order of another writer until one of them changes, and hold a type once then", () => {
    const [alpha, zeta] = ["Alpha", "Zeta"].map((type) => ({ ...deprecatedCondition(type, "True"), ...AT }));
    const stored = [zeta, alpha].filter((entry) => entry !== undefined);
    expect(setDeprecatedConditions(stored, [deprecatedCondition("Alpha", "True")], NOW)).toBe(stored);
    const changed = setDeprecatedConditions(
      [...stored, ...stored],
      [deprecatedCondition("Alpha", "True")],
      NOW,
    );
    expect(changed).toEqual([alpha, zeta]);
  });
});

describe("summarizeDeprecated", () => {
  const error = (type: string) =>
    deprecatedCondition(type, "False", { severity: "Error", reason: `${type}E` });
  const info = (type: string) => deprecatedCondition(type, "False", { severity: "Info", reason: `${type}I` });
  const bare = (type: string) => deprecatedCondition(type, "False", { reason: `${type}B` });
  const warning = (type: string) =>
    deprecatedCondition(type, "False", { severity: "Warning", reason: `${type}W` });
  const isTrue = (type: string) => deprecatedCondition(type, "True");
  const unknown = (type: string) => deprecatedCondition(type, "Unknown", { reason: `${type}U` });

  it.each([
    [
      "an Error before everything",
      [info(BOOTSTRAP), isTrue(INFRASTRUCTURE), error(REPLICAS)],
      "False ReplicasReadyE",
    ],
    ["a Warning before Info", [info(BOOTSTRAP), warning(INFRASTRUCTURE)], "False InfrastructureReadyW"],
    ["Info before True", [isTrue(BOOTSTRAP), info(REPLICAS)], "False ReplicasReadyI"],
    ["True before Unknown", [unknown(BOOTSTRAP), isTrue(REPLICAS)], "True undefined"],
    ["False without severity like Info", [isTrue(BOOTSTRAP), bare(REPLICAS)], "False ReplicasReadyB"],
    ["the first type inside a group", [info(REPLICAS), info(BOOTSTRAP)], "False BootstrapReadyI"],
  ])("takes %s", (_, conditions, expected) => {
    const summary = summarizeDeprecated(conditions, { types: TYPES });
    expect(`${summary?.status} ${summary?.reason}`).toBe(expected);
    expect(summary?.type).toBe("Ready");
  });

  it("counts the steps that are done in place of a message", () => {
    const parts = [isTrue(BOOTSTRAP), info(INFRASTRUCTURE)];
    expect(summarizeDeprecated(parts, { types: TYPES, steps: 3 })?.message).toBe("1 of 3 completed");
    expect(summarizeDeprecated([isTrue(BOOTSTRAP)], { types: TYPES, steps: 3 })?.message).toBeUndefined();
  });

  it("says nothing while none of the types exists", () => {
    expect(summarizeDeprecated([isTrue("Other")], { types: TYPES })).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { hasFinalizer } from "../../../../shared/function/guards.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../../shared/rules/metadata/finalizers.ts";
import { machinePool } from "../../../support/builders.ts";

const withFinalizers = (finalizers: readonly string[] | undefined) =>
  machinePool({ metadata: { finalizers } });

describe("finalizers", () => {
  it("are added as a new list, at the end of the list, or not at all", () => {
    expect(addFinalizerPatch(withFinalizers(undefined), "mine")).toEqual([
      { op: "add", path: "/metadata/finalizers", value: ["mine"] },
    ]);
    expect(addFinalizerPatch(withFinalizers(["theirs"]), "mine")).toEqual([
      { op: "add", path: "/metadata/finalizers/-", value: "mine" },
    ]);
    expect(addFinalizerPatch(withFinalizers(["mine"]), "mine")).toEqual([]);
  });

  it("are removed at their index after a test of the value", () => {
    expect(removeFinalizerPatch(withFinalizers(["theirs", "mine"]), "mine")).toEqual([
      { op: "test", path: "/metadata/finalizers/1", value: "mine" },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
    expect(removeFinalizerPatch(withFinalizers(["theirs"]), "mine")).toEqual([]);
    expect(removeFinalizerPatch(withFinalizers(undefined), "mine")).toEqual([]);
  });

  it("can be asked for", () => {
    expect(hasFinalizer(withFinalizers(["mine"]), "mine")).toBe(true);
    expect(hasFinalizer(withFinalizers(undefined), "mine")).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { absentDefaultPatch } from "../../../../shared/rules/metadata/absent-default.ts";

describe("the patch of an absent default", () => {
  it.each([
    ["adds the object that is absent, too", undefined, [{ op: "add", path: "/spec/a", value: { b: 10 } }]],
    ["adds the member alone", {}, [{ op: "add", path: "/spec/a/b", value: 10 }]],
    ["leaves another value", { b: 5 }, []],
    ["leaves 0, which is a value", { b: 0 }, []],
  ])("%s", (_, parent: { readonly b?: number } | undefined, operations) => {
    expect(absentDefaultPatch({ path: "/spec/a", parent, member: "b", value: 10 })).toEqual(operations);
  });
});

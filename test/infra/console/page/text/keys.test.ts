import { describe, expect, it } from "vitest";
import { namespaceOfKey, objectOfKey } from "../../../../../infra/console/page/text/keys.ts";

describe("a key in words", () => {
  it("names its object and its namespace", () => {
    expect(objectOfKey("default/c1|Machine|apps/m1")).toBe("Machine apps/m1");
    expect(namespaceOfKey("default/c1|Machine|apps/m1")).toBe("apps");
  });

  it("is shown as it is when it is malformed, and is in no namespace", () => {
    for (const key of ["", "x", "a|b", "default/c1|Machine|m1"]) expect(namespaceOfKey(key)).toBeUndefined();
    expect(objectOfKey("x")).toBe("x");
  });
});

import { describe, expect, it } from "vitest";
import { historyOf, revisionOf } from "../../../../shared/rules/rollout/revision.ts";
import { planSet } from "../../../support/plan-sets.ts";

function set(revision?: string, history?: string) {
  return planSet("a", "new", 1, { revision, history });
}

describe("the revision of the current set", () => {
  it("is the number after the highest of the old sets", () => {
    expect(revisionOf(undefined, [])).toBe("1");
    expect(revisionOf(undefined, [set("2"), set("10")])).toBe("11");
    expect(revisionOf(set("1"), [set("2")])).toBe("3");
  });

  it("is never lowered", () => {
    expect(revisionOf(set("7"), [set("2")])).toBe("7");
    expect(revisionOf(set("7"), [])).toBe("7");
  });

  it("counts a text that is not a number as 0", () => {
    expect(revisionOf(set("first"), [])).toBe("1");
    expect(revisionOf(set("1"), [set("first"), set(undefined), set("-4")])).toBe("1");
  });

  it("leaves the former one in the history", () => {
    expect(historyOf(set("3", "1,2"))).toBe("1,2,3");
    expect(historyOf(set("3"))).toBe("3");
    expect(historyOf(set(undefined, "1"))).toBe("1");
    expect(historyOf(set())).toBeUndefined();
  });
});

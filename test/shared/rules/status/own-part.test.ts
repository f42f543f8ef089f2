import { describe, expect, it } from "vitest";
import { applyOwnPart } from "../../../../shared/rules/status/own-part.ts";

describe("applyOwnPart", () => {
  const mine = { a: 1 };
  const stored = { a: 1, b: 2 };

  it("leaves the apply out when only what others keep differs", () => {
    expect(applyOwnPart(stored, mine, { a: 1 })).toEqual({});
  });

  it("applies a change of its own part, and lets the runtime compare where it has all of it", () => {
    expect(applyOwnPart(stored, mine, { a: 3 })).toEqual({
      apply: { status: { a: 3 } },
      own: { status: mine },
    });
    expect(applyOwnPart(mine, mine, { a: 1 })).toEqual({
      apply: { status: { a: 1 } },
      own: { status: mine },
    });
  });
});

import { describe, expect, it } from "vitest";
import { tokenAhead } from "../../../../infra/queue/tokens/token-ahead.ts";

const event = { key: "t|a", priority: "live" } as const;

describe("the token of an event whose seq is not known yet", () => {
  it("goes ahead for a single live event that is due now", () => {
    expect(tokenAhead([event])).toEqual({ key: "t|a", seq: "", priority: "live" });
  });

  it("does not go ahead for what is due later, of class resync, or one of several", () => {
    expect(tokenAhead([{ ...event, delayMs: 50 }])).toBeUndefined();
    expect(tokenAhead([{ ...event, priority: "resync" }])).toBeUndefined();
    expect(tokenAhead([event, { ...event, key: "t|b" }])).toBeUndefined();
    expect(tokenAhead([])).toBeUndefined();
  });
});

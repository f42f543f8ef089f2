import { describe, expect, it } from "vitest";
import type { Relisted } from "../../../infra/relay/store-loss.ts";
import { relistIfLost, watchForLoss } from "../../../infra/relay/store-loss.ts";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { virtualClock } from "../../support/clock.ts";

const type = { cluster: MANAGEMENT, group: "things.example", kind: "Thing" };

function loopIn(state: "listing" | "streaming" | "backoff"): Relisted & { relists: number } {
  return {
    relists: 0,
    status: () => ({ state }),
    relist() {
      this.relists += 1;
    },
  };
}

const lost = (hasLost: boolean) => ({ hasLost: async () => hasLost });

describe("a store that may lose its data", () => {
  it("is filled again when it has forgotten that a streaming type is complete", async () => {
    const loop = loopIn("streaming");
    await relistIfLost(lost(false), type, loop);
    expect(loop.relists).toBe(0);
    await relistIfLost(lost(true), type, loop);
    expect(loop.relists).toBe(1);
  });

  it.each(["listing", "backoff"] as const)(
    "is left alone while the loop is %s: a list comes anyway or cannot",
    async (state) => {
      const loop = loopIn(state);
      await relistIfLost(lost(true), type, loop);
      expect(loop.relists).toBe(0);
    },
  );

  it("is left alone while it does not answer", async () => {
    const away = {
      hasLost: async () => {
        throw new Error("connection is closed");
      },
    };
    const loop = loopIn("streaming");
    await relistIfLost(away, type, loop);
    expect(loop.relists).toBe(0);
  });

  it("is looked at every 5 s until the relay ends", async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    let looks = 0;
    const watching = watchForLoss(
      async () => {
        looks += 1;
      },
      { clock, signal: abort.signal },
    );
    await clock.advance(4 * SECOND);
    expect(looks).toBe(0);
    await clock.advance(SECOND);
    expect(looks).toBe(1);
    await clock.advance(5 * SECOND);
    expect(looks).toBe(2);
    abort.abort();
    await watching;
    expect(looks).toBe(2);
  });
});

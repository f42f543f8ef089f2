import { describe, expect, it } from "vitest";
import { rest } from "../../../infra/platform/rest.ts";

/** A clock whose timers run on demand. */
function timers() {
  const waiting = new Map<() => void, number>();
  return {
    waiting,
    clock: {
      now: () => new Date(0),
      after(ms: number, callback: () => void) {
        waiting.set(callback, ms);
        return () => void waiting.delete(callback);
      },
    },
  };
}

describe("rest", () => {
  it("resolves when its timer runs", async () => {
    const { clock, waiting } = timers();
    const resting = rest(500, clock);
    expect([...waiting.values()]).toEqual([500]);
    for (const run of waiting.keys()) run();
    await resting;
    expect(waiting.size).toBe(0);
  });

  it.each(["before", "while"])(
    "resolves at once, without a timer, when its signal aborts %s it waits",
    async (when) => {
      const { clock, waiting } = timers();
      const stop = new AbortController();
      if (when === "before") stop.abort();
      const resting = rest(500, clock, stop.signal);
      stop.abort();
      await resting;
      expect(waiting.size).toBe(0);
    },
  );
});

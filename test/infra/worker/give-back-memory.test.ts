import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { giveBackMemory } from "../../../infra/worker/give-back-memory.ts";

describe("a process that has started", () => {
  const collected = vi.fn();
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    collected.mockReset();
  });

  it("D-106: gives its memory back once, a moment later", () => {
    vi.stubGlobal("gc", collected);
    using _giving = giveBackMemory();
    expect(collected).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(collected.mock.calls).toEqual([[expect.objectContaining({ flavor: "last-resort" })]]);
  });

  it("D-106: does not where it has ended meanwhile, or V8 lets no one ask for it", () => {
    vi.stubGlobal("gc", collected);
    giveBackMemory()[Symbol.dispose]();
    vi.stubGlobal("gc", undefined);
    using _giving = giveBackMemory();
    expect(vi.getTimerCount()).toBe(0);
    expect(collected).not.toHaveBeenCalled();
  });
});

import { cachedDataVersionTag, getHeapStatistics } from "node:v8";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collectAll, giveBackMemory } from "../../../infra/worker/give-back-memory.ts";

describe("a process that has started", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("gives its memory back once, a moment later", () => {
    const collected = vi.fn();
    using _giving = giveBackMemory(collected);
    expect(collected).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(collected).toHaveBeenCalledTimes(1);
  });

  it("does not where it has ended meanwhile", () => {
    giveBackMemory()[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("collects, and leaves V8 with the compiled code that it takes", () => {
    const before = cachedDataVersionTag();
    const sizeBytes = 50 * 2 ** 20;
    let large: number[] | undefined = Array.from({ length: sizeBytes / 8 }, (_, index) => index + 0.5);
    const full = getHeapStatistics().used_heap_size;
    // Its length alone: the assertion would keep the array.
    expect(large.length).toBe(sizeBytes / 8);
    large = undefined;
    collectAll();
    expect(full - getHeapStatistics().used_heap_size).toBeGreaterThan(sizeBytes / 2);
    expect(cachedDataVersionTag()).toBe(before);
  });
});

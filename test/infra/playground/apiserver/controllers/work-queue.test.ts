import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import { WorkQueue } from "../../../../../infra/playground/apiserver/controllers/work-queue.ts";
import { internalError } from "../../../../../infra/playground/apiserver/errors/status-error.ts";

describe("work inside the server", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("C14: that cannot be stored is tried again each second, and does not end the process", async () => {
    const full = new Set(["a"]);
    const tried: string[] = [];
    const queue = new WorkQueue(systemClock, (item) => {
      tried.push(item);
      if (full.has(item)) throw internalError("no space left");
    });
    for (const item of ["a", "b"]) queue.add(item);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(tried).toEqual(["a", "b", "a", "a"]);
    full.clear();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(tried).toEqual(["a", "b", "a", "a", "a"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves no timer behind when it stops", async () => {
    const queue = new WorkQueue(systemClock, () => {
      throw internalError("no space left");
    });
    queue.add("a");
    await vi.advanceTimersByTimeAsync(500);
    expect(vi.getTimerCount()).toBe(1);
    queue.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

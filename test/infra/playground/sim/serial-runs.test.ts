import { describe, expect, it } from "vitest";
import { createSerialRuns } from "../../../../infra/playground/sim/serial-runs.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";

interface Timer {
  readonly delayMs: number;
  readonly callback: () => void;
}

function handClock(): Clock & { readonly timers: Timer[]; fire(): void } {
  const timers: Timer[] = [];
  return {
    timers,
    now: () => new Date(0),
    after(delayMs, callback) {
      const timer = { delayMs, callback };
      timers.push(timer);
      return () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    fire: () => timers.shift()?.callback(),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function gates(): { readonly open: Map<string, () => void>; wait(key: string): Promise<undefined> } {
  const open = new Map<string, () => void>();
  return {
    open,
    wait: (key) => new Promise((resolve) => open.set(key, () => resolve(undefined))),
  };
}

describe("serial runs", () => {
  it("runs different keys side by side and one key once at a time", async () => {
    const ran: string[] = [];
    const gate = gates();
    const run = (key: string) => {
      ran.push(key);
      return gate.wait(key);
    };
    const runs = createSerialRuns({ clock: handClock(), concurrency: 4, run, onError: () => undefined });
    runs.wake("a");
    runs.wake("b");
    runs.wake("a");
    runs.wake("a");
    expect(ran).toEqual(["a", "b"]);
    gate.open.get("a")?.();
    await settled();
    expect(ran).toEqual(["a", "b", "a"]);
    gate.open.get("a")?.();
    gate.open.get("b")?.();
    await runs[Symbol.asyncDispose]();
    expect(ran).toEqual(["a", "b", "a"]);
  });

  it("keeps the limit of runs under way", async () => {
    const ran: string[] = [];
    const gate = gates();
    const run = (key: string) => {
      ran.push(key);
      return gate.wait(key);
    };
    const runs = createSerialRuns({ clock: handClock(), concurrency: 1, run, onError: () => undefined });
    runs.wake("a");
    runs.wake("b");
    expect(ran).toEqual(["a"]);
    gate.open.get("a")?.();
    await settled();
    expect(ran).toEqual(["a", "b"]);
    gate.open.get("b")?.();
    await runs[Symbol.asyncDispose]();
  });

  it("looks again after the delay that a run asks for, and sooner when woken", async () => {
    const clock = handClock();
    const delays = [500, 200, undefined];
    let count = 0;
    const run = async () => delays[count++];
    const runs = createSerialRuns({ clock, concurrency: 1, run, onError: () => undefined });
    runs.wake("a");
    await settled();
    expect(clock.timers.map((timer) => timer.delayMs)).toEqual([500]);
    runs.wake("a");
    await settled();
    expect(clock.timers.map((timer) => timer.delayMs)).toEqual([200]);
    clock.fire();
    await settled();
    expect(count).toBe(3);
    expect(clock.timers).toEqual([]);
    await runs[Symbol.asyncDispose]();
  });

  it("repeats a failed run with growing delays and reports it, other keys continue", async () => {
    const clock = handClock();
    const failed: string[] = [];
    const run = async (key: string) => {
      if (key === "bad") throw new Error("no");
      return undefined;
    };
    const onError = (key: string, _error: unknown, failures: number) => failed.push(`${key} ${failures}`);
    const runs = createSerialRuns({ clock, concurrency: 1, run, onError });
    runs.wake("bad");
    runs.wake("good");
    await settled();
    expect(clock.timers.map((timer) => timer.delayMs)).toEqual([100]);
    clock.fire();
    await settled();
    expect(clock.timers.map((timer) => timer.delayMs)).toEqual([200]);
    expect(failed).toEqual(["bad 1", "bad 2"]);
    await runs[Symbol.asyncDispose]();
    expect(clock.timers).toEqual([]);
  });

  it("starts nothing after it was disposed", async () => {
    const ran: string[] = [];
    const run = async (key: string) => void ran.push(key);
    const runs = createSerialRuns({ clock: handClock(), concurrency: 1, run, onError: () => undefined });
    await runs[Symbol.asyncDispose]();
    runs.wake("a");
    await settled();
    expect(ran).toEqual([]);
  });
});

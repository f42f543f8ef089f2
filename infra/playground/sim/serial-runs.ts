import { backoffMs } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";

/** Longest pause between two attempts: a recovered server must be noticed within seconds, not minutes. */
const MAX_BACKOFF_MS = 5_000;

export interface SerialRunsOptions {
  readonly clock: Clock;
  /** Number of runs at the same time, over all keys. */
  readonly concurrency: number;
  /** Brings one key to its desired state; a returned number is the delay in ms until its next run. */
  readonly run: (key: string) => Promise<number | undefined>;
  /** Called with the error of a failed run, which is repeated with backoff, and how many have failed in a row. */
  readonly onError: (key: string, error: unknown, failures: number) => void;
}

export interface SerialRuns extends AsyncDisposable {
  /** Guarantees at least one run that starts after the call. */
  wake(key: string): void;
}

interface KeyState {
  phase: "idle" | "ready" | "running";
  /** Enqueued while running: exactly one more run follows. */
  again: boolean;
  failures: number;
  cancelTimer: () => void;
}

const nothing = (): void => undefined;

/** Runs keys side by side, but one key never twice at the same time. Disposing waits for the runs under way. */
export function createSerialRuns(options: SerialRunsOptions): SerialRuns {
  const states = new Map<string, KeyState>();
  const ready: string[] = [];
  const running = new Set<Promise<void>>();
  let stopped = false;

  function wake(key: string): void {
    if (stopped) return;
    const state = states.get(key) ?? { phase: "idle", again: false, failures: 0, cancelTimer: nothing };
    states.set(key, state);
    if (state.phase === "running") state.again = true;
    if (state.phase !== "idle") return;
    state.cancelTimer();
    state.phase = "ready";
    ready.push(key);
    startRuns();
  }

  function startRuns(): void {
    while (!stopped && running.size < options.concurrency) {
      const key = ready.shift();
      const state = key === undefined ? undefined : states.get(key);
      if (key === undefined || state === undefined) return;
      const run: Promise<void> = runOnce(key, state).finally(() => {
        running.delete(run);
        startRuns();
      });
      running.add(run);
    }
  }

  async function runOnce(key: string, state: KeyState): Promise<void> {
    state.phase = "running";
    state.again = false;
    let afterMs: number | undefined;
    try {
      afterMs = await options.run(key);
      state.failures = 0;
    } catch (error) {
      state.failures += 1;
      afterMs = Math.min(MAX_BACKOFF_MS, backoffMs(state.failures, 0));
      if (!stopped) options.onError(key, error, state.failures);
    }
    state.phase = "idle";
    if (state.again) wake(key);
    else if (afterMs === undefined) states.delete(key);
    else if (!stopped) state.cancelTimer = options.clock.after(afterMs, () => wake(key));
  }

  return {
    wake,
    async [Symbol.asyncDispose]() {
      stopped = true;
      for (const state of states.values()) state.cancelTimer();
      await Promise.all(running);
    },
  };
}

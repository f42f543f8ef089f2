import type { Clock } from "../../shared/runtime/ports.ts";

/** Resolves after `ms`, or at once when `signal` aborts. */
export function rest(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener("abort", done);
    if (signal?.aborted === true) done();
  });
}

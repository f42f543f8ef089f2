import type { Clock } from "../../../shared/runtime/ports.ts";

/** Long work yields the event loop after this time (KR-20). */
const SLICE_MS = 20;

/**
 * Returns a function to call between two pieces of work: it waits for the next turn of the event loop at the end of a
 * slice.
 */
export function createTimeSlices(clock: Clock): () => Promise<void> | undefined {
  const next = () => clock.now().getTime() + SLICE_MS;
  let endsAt = next();
  return () => {
    if (clock.now().getTime() < endsAt) return undefined;
    return new Promise<void>((resolve) => clock.after(0, resolve)).then(() => {
      endsAt = next();
    });
  };
}

import type { Clock } from "../../shared/runtime/ports.ts";

/** After so long work lets others have the event loop (KR-20). */
const SLICE_MS = 20;

/** Called between two pieces of work: waits for the next turn of the event loop when the slice is used up. */
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

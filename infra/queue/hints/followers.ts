import type { Hint, Hints } from "../../../shared/runtime/queue/hints.ts";

/** Hints that wait for the next turn of the event loop; more are a gap: reading everything is cheaper then. */
const MAX_HELD = 10_000;

interface Follower {
  readonly onHints: (hints: readonly Hint[]) => void;
  readonly onGap: () => void;
}

/** Hands hints on to those who follow; without them a hint costs nothing. */
export interface Followers extends Pick<Hints, "follow"> {
  note(hint: Hint): void;
  /** Hints may have been lost. */
  noteGap(): void;
}

export function createFollowers(): Followers {
  const followers = new Set<Follower>();
  let held: Hint[] = [];
  let isGap = false;
  let isDue = false;
  const handOn = (): void => {
    const [hints, gap] = [held, isGap];
    held = [];
    isGap = isDue = false;
    for (const { onHints, onGap } of followers) {
      if (gap) onGap();
      else onHints(hints);
    }
  };
  const later = (): void => {
    if (!isDue) setImmediate(handOn);
    isDue = true;
  };
  const noteGap = (): void => {
    if (followers.size === 0) return;
    held = [];
    isGap = true;
    later();
  };
  return {
    note: (hint) => {
      if (followers.size === 0 || isGap) return;
      if (held.length >= MAX_HELD) return noteGap();
      held.push(hint);
      later();
    },
    noteGap,
    follow: (onHints, onGap) => {
      const follower = { onHints, onGap };
      followers.add(follower);
      return { [Symbol.dispose]: () => void followers.delete(follower) };
    },
  };
}

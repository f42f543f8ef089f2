import type { Key } from "../../shared/runtime/queue/key.ts";
import type { Requeued, SeenDeath } from "../../shared/runtime/queue/queue-control.ts";
import type { KeyState } from "../../shared/runtime/queue/queue-port.ts";

/** Redis holds up all other clients while it revives them. */
const MAX_SEEN = 500;

/** Throws a TypeError for more keys than one call takes, or an invalid instant. */
export function checkSeen(seen: readonly SeenDeath[]): void {
  if (seen.length > MAX_SEEN)
    throw new TypeError(`${seen.length} keys in one call; send at most ${MAX_SEEN}`);
  const wrong = seen.find(({ deadSince }) => Number.isNaN(deadSince.getTime()));
  if (wrong !== undefined)
    throw new TypeError(`since when ${wrong.key.slice(0, 120)} is dead is not an instant`);
}

/** Returns the answers for keys; those that were left alone say where they stand now. */
export function requeuedOf(
  seen: readonly SeenDeath[],
  done: readonly boolean[],
  keyState: (key: Key) => Promise<KeyState | undefined>,
): Promise<readonly Requeued[]> {
  return Promise.all(
    seen.map(async ({ key }, index) => {
      if (done[index] === true) return { key, done: true };
      const state = await keyState(key);
      return { key, done: false, ...(state === undefined ? {} : { state }) };
    }),
  );
}

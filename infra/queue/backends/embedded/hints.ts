import { objectKeyOf } from "../../../../shared/api/kinds.ts";
import type { DeadLetters } from "../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Store } from "../../../../shared/runtime/ports.ts";
import type { Hint, Hints } from "../../../../shared/runtime/queue/hints.ts";
import { createFollowers } from "../../hints/followers.ts";

export interface MemoryHints extends Hints {
  note(hint: Hint): void;
}

/** Creates the hints of one process: no hint is lost, but for a flood of them. */
export function createMemoryHints(): MemoryHints {
  const { note, follow } = createFollowers();
  return { note, follow, [Symbol.asyncDispose]: async () => undefined };
}

/** Returns the same read model; every change of it is noted. */
export function hintingStore(store: Store, note: (hint: Hint) => void): Store {
  return {
    ...store,
    put: async (type, objects) => {
      const results = await store.put(type, objects);
      for (const [at, object] of objects.entries())
        if (results[at]?.stored === true) note({ of: "snapshot", type, key: objectKeyOf(object) });
      return results;
    },
    remove: async (type, key, deleted) => {
      const before = await store.remove(type, key, deleted);
      if (before !== undefined) note({ of: "snapshot", type, key });
      return before;
    },
  };
}

/** Returns the same dead letters; every change that is made through them is noted. */
export function hintingLetters(letters: DeadLetters, note: (hint: Hint) => void): DeadLetters {
  return {
    ...letters,
    put: async (letter) => {
      await letters.put(letter);
      note({ of: "letters", function: letter.function, keys: [letter.key] });
    },
    drop: async (name, keys) => {
      const dropped = await letters.drop(name, keys);
      note({ of: "letters", function: name, keys });
      return dropped;
    },
    dropSeen: async (name, seen) => {
      const answers = await letters.dropSeen(name, seen);
      note({ of: "letters", function: name, keys: seen.map(({ key }) => key) });
      return answers;
    },
  };
}

import type { Parts } from "../backend.ts";
import { openLetterFile } from "../open-letter-file.ts";

const HISTORY_MB = 32;
const MIB = 2 ** 20;

/** Keeps everything in the memory of one process, its letters apart. */
export function embeddedBackend(): Parts {
  return {
    async queue({ noteHint, ...ports }) {
      const { createMemoryQueue } = await import("./queue.ts");
      return createMemoryQueue({ ...ports, ...(noteHint && { noteHint }) });
    },
    async store({ kindOf }) {
      const { createMemoryStore } = await import("./store.ts");
      return createMemoryStore(kindOf && { kindOf });
    },
    async letters({ noteHint, ...ports }) {
      const letters = await openLetterFile(ports);
      if (noteHint === undefined) return letters;
      const { hintingLetters } = await import("./hints.ts");
      return hintingLetters(letters, noteHint);
    },
    async history({ clock, megabytes = HISTORY_MB }) {
      if (megabytes === 0) return undefined;
      const { createMemoryRunHistory } = await import("./history.ts");
      return createMemoryRunHistory({ clock, maxBytes: megabytes * MIB });
    },
    async samples({ clock }) {
      const { createMemorySamples } = await import("./samples.ts");
      return createMemorySamples(clock);
    },
    async limit({ perHour, clock }) {
      const { createMemoryDeletionLimit } = await import("./deletion-limit.ts");
      return createMemoryDeletionLimit(perHour, clock);
    },
    ledger: unreachable,
    pushed: unreachable,
    hints: unreachable,
    heartbeats: unreachable,
    tie: unreachable,
    lookForOwner: unreachable,
  };
}

/** Parts for other processes. */
async function unreachable(): Promise<never> {
  throw new Error("a queue in memory can be reached by its own process only");
}

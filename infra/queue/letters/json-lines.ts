import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { AttemptSummary } from "../../../shared/runtime/letters/dead-letter.ts";
import { headOf } from "../../../shared/runtime/letters/dead-letter.ts";
import type {
  AttemptHistory,
  DeadLetters,
  Dropped,
  LetterKey,
} from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, readPrivateFile } from "../../platform/private-file.ts";
import { decodeLetter, encodeLetter } from "./encode-letter.ts";
import { hideWith, newHideKey } from "./hide.ts";
import { LetterFile } from "./letter-file.ts";
import type { LetterMap } from "./letter-map.ts";
import { checkSeenLetters, MAX_ATTEMPTS, MAX_LETTERS } from "./limits.ts";

export interface JsonLinesOptions {
  /** Made with mode 0600 at the first letter; beside it `<file>.key`, which hides secrets. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Rewrites the file when most of it is out of date. For the process that writes letters, only one at a time. */
  readonly compact?: boolean;
}

export interface JsonLinesDeadLetters extends DeadLetters {
  /** Lines that are not a record, for example cut off by a full disk: they are skipped. */
  corruptLines(): Promise<number>;
}

/**
 * Creates dead letters as lines of a file, for the queue in memory: the newest line of a key counts. Other processes
 * may read it, and drop from it, at the same time. Letters that cannot be written stay in memory.
 */
export function createJsonLinesDeadLetters(options: JsonLinesOptions): JsonLinesDeadLetters {
  const { file, clock, log, compact = false } = options;
  const recent = createRecentAttempts();
  const lines = new LetterFile(file, log);
  let turn: Promise<unknown> = Promise.resolve();
  let hide: Promise<(secret: string) => string> | undefined;
  const now = (): number => clock.now().getTime();
  let expired = 0;
  const noteDropped = async (name: string, keys: readonly string[]): Promise<void> => {
    const gone = keys.map((key) => ({ at: now(), dropped: { function: name, key } }));
    if (gone.length > 0) await lines.append(...gone);
  };
  const inTurn = <T>(work: (letters: LetterMap) => T | Promise<T>): Promise<T> => {
    const done = turn.then(async () => {
      const letters = await lines.letters();
      expired = letters.expire(now());
      return work(letters);
    });
    turn = done.catch(() => undefined);
    return done;
  };
  return {
    hide: () => {
      hide ??= hideKeyOf(`${file}.key`, log).then(hideWith);
      return hide;
    },
    noteAttempt: async (at, attempt) => recent.note(at, attempt),
    put: (letter) =>
      inTurn(async (letters) => {
        const stored = { ...letter, times: letters.timesOf(letter) };
        const line = { at: now(), head: headOf(stored), letter: encodeLetter(stored) };
        letters.set(line);
        await lines.append(line);
        if (compact)
          await lines.compact().catch((error: unknown) => log.debug({ file, error }, "not compacted"));
      }),
    get: (at) =>
      inTurn((letters) => {
        const stored = letters.get(at);
        return stored && decodeLetter(stored.letter);
      }),
    list: (name) => inTurn((letters) => letters.heads(name)),
    page: (selection) => inTurn((letters) => letters.page(selection)),
    async *read(all) {
      for (const at of all) {
        const stored = await inTurn((letters) => letters.get(at));
        if (stored !== undefined) yield decodeLetter(stored.letter);
      }
    },
    drop: (name, keys) =>
      inTurn(async (letters) => {
        const dropped = keys.filter((key) => letters.delete({ function: name, key }));
        await noteDropped(name, dropped);
        return dropped.length;
      }),
    dropSeen: async (name, seen) => {
      checkSeenLetters(seen);
      return inTurn(async (letters) => {
        const dropped = seen.map((each): Dropped => {
          const at = { function: name, key: each.key };
          const head = letters.get(at)?.head;
          const done = head?.deadSince === each.deadSince && head.times === each.times && letters.delete(at);
          return { key: each.key, done, ...(done || head === undefined ? {} : { head }) };
        });
        await noteDropped(
          name,
          dropped.filter(({ done }) => done).map(({ key }) => key),
        );
        return dropped;
      });
    },
    expire: () => inTurn(() => expired),
    corruptLines: () => inTurn(() => lines.corruptLines),
    [Symbol.asyncDispose]: async () => {
      await turn;
    },
  };
}

/** The key beside the letters, made at the first use (0600). Without it hidden values change with every start. */
async function hideKeyOf(file: string, log: Log): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    // Another process may be making it, too: the first one counts.
    await writeFile(file, newHideKey(), { mode: PRIVATE_FILE, flag: "wx" }).catch(() => undefined);
    const key = (await readPrivateFile(file)).trim();
    if (/^[0-9a-f]{64}$/.test(key)) return key;
    log.warn({ file }, "the key that hides secrets is damaged; remove the file to get a new one");
  } catch (error) {
    log.warn({ file, error: (error as Error).message }, "the key that hides secrets cannot be kept");
  }
  return newHideKey();
}

/** Failed attempts of the keys of one process; the key whose last failure is longest ago makes room. */
interface RecentAttempts {
  note(at: LetterKey, attempt: AttemptSummary): AttemptHistory;
}

function createRecentAttempts(): RecentAttempts {
  const histories = new Map<string, AttemptHistory>();
  return {
    note: (at, attempt) => {
      const id = `${at.function}|${at.key}`;
      const known = attempt.failures === 1 ? undefined : histories.get(id);
      const history = {
        firstFailureAt: known?.firstFailureAt ?? attempt.start,
        attempts: [...(known?.attempts ?? []), attempt].slice(-MAX_ATTEMPTS),
      };
      histories.delete(id);
      histories.set(id, history);
      const [oldest] = histories.keys();
      if (histories.size > MAX_LETTERS && oldest !== undefined) histories.delete(oldest);
      return history;
    },
  };
}

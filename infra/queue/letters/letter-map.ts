import type { DeadLetter, DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type {
  LetterKey,
  LetterPage,
  LetterSelection,
} from "../../../shared/runtime/letters/dead-letters-port.ts";
import { compareCursors } from "../../platform/cursor.ts";
import { letterPlaces } from "./letter-page.ts";
import { keysToLeave, MAX_LETTERS, RETENTION_MS } from "./limits.ts";

interface StoredLetter {
  /** ms, when it was stored. */
  readonly at: number;
  readonly head: DeadLetterHead;
  /** See encode-letter.ts. */
  readonly letter: string;
}

/** Letters by function and key, the oldest of a function first; bounded. */
export interface LetterMap {
  get(at: LetterKey): StoredLetter | undefined;
  /** The newest letter of a key counts. */
  set(stored: StoredLetter): void;
  delete(at: LetterKey): boolean;
  /** Returns the `times` of a new letter. */
  timesOf(letter: DeadLetter): number;
  heads(functionName?: string): readonly DeadLetterHead[];
  page(selection: LetterSelection): Promise<LetterPage>;
  all(): readonly StoredLetter[];
  size(): number;
  expire(now: number): number;
}

export function createLetterMap(): LetterMap {
  const functions = new Map<string, Map<string, StoredLetter>>();
  const all = (): readonly StoredLetter[] =>
    [...functions.values()].flatMap((letters) => [...letters.values()]);
  return {
    get: (at) => functions.get(at.function)?.get(at.key),
    set: (stored) => {
      const { function: name, key } = stored.head;
      const letters = functions.get(name) ?? new Map<string, StoredLetter>();
      functions.set(name, letters);
      // Out and in again: a map keeps the order of insertion.
      letters.delete(key);
      letters.set(key, stored);
      if (letters.size > MAX_LETTERS)
        for (const left of keysToLeave([...letters.keys()])) letters.delete(left);
    },
    delete: (at) => functions.get(at.function)?.delete(at.key) ?? false,
    timesOf: ({ function: name, key, deadSince }) => {
      const known = functions.get(name)?.get(key)?.head;
      if (known === undefined) return 1;
      return known.deadSince === deadSince ? known.times : known.times + 1;
    },
    heads: (name) =>
      inOrder(all().map(({ head }) => head)).filter((head) => name === undefined || head.function === name),
    page: (selection) => pageOf(functions, selection),
    all,
    size: () => [...functions.values()].reduce((sum, letters) => sum + letters.size, 0),
    expire: (now) => {
      let expired = 0;
      for (const letters of functions.values()) {
        for (const [key, { at }] of letters) {
          if (at > now - RETENTION_MS) break;
          letters.delete(key);
          expired += 1;
        }
      }
      return expired;
    },
  };
}

async function pageOf(
  functions: ReadonlyMap<string, ReadonlyMap<string, StoredLetter>>,
  selection: LetterSelection,
): Promise<LetterPage> {
  const { places, next } = await letterPlaces(selection, [...functions.keys()], async (name, from, count) =>
    [...(functions.get(name)?.values() ?? [])]
      .map(({ at, head }) => ({ score: at, member: head.key }))
      .filter((place) => from === undefined || compareCursors(place, from) > 0)
      .sort(compareCursors)
      .slice(0, count),
  );
  const items = places.flatMap((at) => functions.get(at.function)?.get(at.member)?.head ?? []);
  return { items, ...(next === undefined ? {} : { next }) };
}

/** The longest dead first. */
export function inOrder(heads: readonly DeadLetterHead[]): readonly DeadLetterHead[] {
  const rankOf = ({ deadSince, function: name, key }: DeadLetterHead): string =>
    `${deadSince} ${name} ${key}`;
  return heads.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
}

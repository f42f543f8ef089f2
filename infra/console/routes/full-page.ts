import { type Cursor, pageOf } from "../../platform/cursor.ts";
import { problem } from "../problem.ts";

interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

interface Part {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** Reads behind one answer: a viewer of one namespace in a fleet of hundreds gets shorter pages. */
const MAX_READS = 20;

/**
 * Reads pages until one is full of wanted items. It may be short, or empty, and still have a `next`: the search stops
 * after 20 reads. Throws the Problem of a cursor that no page gave out.
 */
export async function fullPage<T>(
  { limit, after }: Part,
  {
    read,
    isWanted,
  }: { readonly read: (part: Part) => Promise<Page<T>>; readonly isWanted: (item: T) => boolean },
): Promise<Page<T>> {
  const items: T[] = [];
  let next = after;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    // Never more than there is room for, so that no item is read and then left out.
    const page = await read({ limit: limit - items.length, after: next }).catch(refuseCursor);
    items.push(...page.items.filter(isWanted));
    next = page.next;
    if (next === undefined || items.length >= limit) break;
  }
  return { items, ...(next === undefined ? {} : { next }) };
}

/** Returns a page of a list that is in memory; throws the Problem of a cursor that no page gave out. */
export function pageInMemory<T>(ordered: readonly T[], placeOf: (item: T) => Cursor, part: Part): Page<T> {
  try {
    return pageOf(ordered, placeOf, part);
  } catch (error) {
    return refuseCursor(error);
  }
}

/** Throws the Problem of a cursor that a reader takes for foreign, by a TypeError; other errors as they are. */
export function refuseCursor(error: unknown): never {
  if (!(error instanceof TypeError)) throw error;
  throw problem(
    "invalidField",
    "next: this list has not given out the cursor",
    "leave next out to begin at the first page",
    { field: "next" },
  );
}

/** Where a page of an ordered list ended: the place of its last item. */
export interface Cursor {
  readonly score: number;
  /** Orders items of one score, by their bytes in UTF-8, as a sorted set of Redis does. */
  readonly member: string;
}

const MAX_CURSOR_CHARS = 8_192;

export function formatCursor({ score, member }: Cursor): string {
  return Buffer.from(JSON.stringify([score, member])).toString("base64url");
}

/** Throws a TypeError for a text that `formatCursor` does not return. */
export function parseCursor(text: string): Cursor {
  const [score, member, ...more] = text.length > MAX_CURSOR_CHARS ? [] : listIn(text);
  if (typeof score === "number" && Number.isFinite(score) && typeof member === "string" && more.length === 0)
    return { score, member };
  throw new TypeError(
    "the cursor is not one that a page has given out; leave it out to start at the first page",
  );
}

function listIn(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** Returns a negative number when `a` comes before `b`, 0 when they are the same place. */
export function compareCursors(a: Cursor, b: Cursor): number {
  if (a.score !== b.score) return a.score - b.score;
  return a.member === b.member ? 0 : Buffer.compare(Buffer.from(a.member), Buffer.from(b.member));
}

/** The part of an ordered list that a page shows. */
export interface PageSelection {
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** Returns a page of items that stand in the order of their places. Throws a TypeError for a foreign cursor. */
export function pageOf<T>(
  ordered: readonly T[],
  placeOf: (item: T) => Cursor,
  { limit, after }: PageSelection,
): { readonly items: readonly T[]; readonly next?: string } {
  const start = after === undefined ? undefined : parseCursor(after);
  const left =
    start === undefined ? ordered : ordered.filter((item) => compareCursors(start, placeOf(item)) < 0);
  const items = left.slice(0, limit);
  const last = items.at(-1);
  const isLast = last === undefined || left.length === items.length;
  return { items, ...(isLast ? {} : { next: formatCursor(placeOf(last)) }) };
}

/** Throws a TypeError unless a page may have so many items. */
export function checkPageLimit(limit: number, most: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return;
  throw new TypeError(`a page has 1 to ${most} items, not ${limit}`);
}

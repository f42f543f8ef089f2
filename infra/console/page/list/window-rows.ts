/** Rows of a list that are in the document: `[first, end)`. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
}

/**
 * Rows that are drawn at once when a list appears: all of a screen would hold up the page for longer than 50 ms.
 * They stay where the list is below the screen, so that it is never empty when it comes up.
 */
export const FIRST_ROWS = 12;
/** Rows beyond the edges of the screen, so that a quick scroll meets rows. */
const MARGIN = 8;

/**
 * Returns the rows of a list that must be in the document. `top` is the place of the list's upper edge, seen from the
 * upper edge of the screen: negative once it is scrolled. All in pixels.
 */
export function windowRows(count: number, top: number, rowHeight: number, screenHeight: number): RowWindow {
  const first = Math.max(0, Math.floor(-top / rowHeight) - MARGIN);
  const end = Math.ceil((screenHeight - top) / rowHeight) + MARGIN;
  return { first: Math.min(first, count), end: Math.min(Math.max(end, top > 0 ? FIRST_ROWS : 0), count) };
}

import { bold } from "../platform/terminal/paint.ts";

/** More than these do not fit on a screen; `-o json` has all of them. */
const MAX_ROWS = 50;

/** Returns a part of a plan behind an empty line: a title, and at most 50 lines of it. Nothing without lines. */
export function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_ROWS;
  const shown = more > 0 ? [...lines.slice(0, MAX_ROWS), `… and ${more} more; -o json lists all`] : lines;
  return ["", bold(title), ...shown.map((line) => `  ${line}`)];
}

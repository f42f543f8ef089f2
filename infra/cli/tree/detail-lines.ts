import type { Detail } from "../../operate/explain/details.ts";
import { paint } from "../../platform/terminal/paint.ts";

const MAX_CHARS = 1_000;

/** Returns details as a table of two columns; further lines of a detail stand under its second column. */
export function detailLines(details: readonly Detail[]): readonly string[] {
  const width = Math.max(0, ...details.map(({ about }) => about.length));
  return details.flatMap(({ about, lines, isProblem }) =>
    lines.map((line, at) => {
      const head = (at === 0 ? about : "").padEnd(width);
      const text = line.replace(/[\p{Cc}\s]+/gu, " ").slice(0, MAX_CHARS);
      return `${paint("dim", head)}  ${isProblem && at === 0 ? paint("yellow", text) : text}`;
    }),
  );
}

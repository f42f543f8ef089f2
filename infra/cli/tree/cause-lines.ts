import type { Problem } from "../../operate/explain/problem.ts";
import { paint, widthOf } from "../../platform/terminal/paint.ts";

/** Columns that the tree takes in front of a line. */
const INDENT_COLUMNS = 2;

/** Returns the problem and below it the action; wrapped to `columns`, because a command that is cut cannot be used. */
export function causeLines(
  { cause, next, severity }: Pick<Problem, "cause" | "next" | "severity">,
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  const room = columns - INDENT_COLUMNS;
  const colour = severity === "held" ? "yellow" : "red";
  return [
    ...wrapped(`! ${plain(cause)}`, room).map((line) => paint(colour, line)),
    ...(next === "" ? [] : wrapped(`  → ${plain(next)}`, room)),
  ];
}

/** Foreign messages must not break the line or colour the terminal. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ");
}

/** Returns lines of whole words, indented from the second line; a word that is too long has its own line. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  // The blanks in front belong to the first word.
  for (const word of text.match(/^\s*\S+|\S+/g) ?? []) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || widthOf(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = `    ${word}`;
    }
  }
  return [...lines, line];
}

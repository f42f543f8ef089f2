import type { Decided } from "../../../shared/runtime/letters/replay.ts";
import { align, linesOfDecision, type Row } from "../../operate/replay/align-decisions.ts";
import { escaped } from "../../platform/terminal/escape.ts";
import { bold, padded, paint } from "../../platform/terminal/paint.ts";

const MAX_SHOWN_LINES = 2_000;

/**
 * Prints the decision then and now next to each other, changed lines marked. `columns` is the width of the terminal.
 */
export function sideBySide(then: Decided, now: Decided, columns = 160): readonly string[] {
  const width = Math.max(30, Math.floor((columns - 3) / 2));
  const rows = align(linesOf(then, width), linesOf(now, width));
  const shown = rows.slice(0, MAX_SHOWN_LINES).map((row) => lineOf(row, width));
  const rest = rows.length - shown.length;
  return [
    bold(`${padded("THEN", width)}   NOW`),
    ...shown,
    ...(rest > 0 ? [`… ${rest} more lines; use -o json`] : []),
  ];
}

function linesOf(decided: Decided, width: number): readonly string[] {
  return linesOfDecision(decided).flatMap((line) => wrapped(escaped(line), width));
}

/** No line is cut off: two long messages may differ at their ends. */
function wrapped(line: string, width: number): readonly string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ""}  `.slice(0, width / 2);
  const rows: string[] = [];
  let rest = line;
  while (rest.length > width) {
    rows.push(rest.slice(0, width));
    rest = `${indent}${rest.slice(width)}`;
  }
  return [...rows, rest];
}

function lineOf({ left, right }: Row, width: number): string {
  if (left === right) return `${padded(left ?? "", width)}   ${right ?? ""}`.trimEnd();
  const mark = left === undefined ? ">" : right === undefined ? "<" : "|";
  const before = paint("red", padded(left ?? "", width));
  return `${before} ${mark} ${paint("green", right ?? "")}`;
}

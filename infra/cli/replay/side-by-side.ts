import type { Decided } from "../../../shared/runtime/letters/replay.ts";
import { escaped } from "../../telemetry/escape.ts";
import { writeYaml } from "../../yaml/write-yaml.ts";
import { bold, padded, paint } from "../terminal/paint.ts";

/** Longer sides are compared line by line in place: the table of the longest common part would not fit. */
const MAX_CELLS = 4_000_000;
const MAX_SHOWN_LINES = 2_000;

interface Row {
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/**
 * Prints the decision then and now next to each other, changed lines marked. `columns` is the width of the
 * terminal.
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

function linesOf({ result, requests }: Decided, width: number): readonly string[] {
  const sent = requests.flatMap(({ title, body }) => [
    title,
    ...(body === undefined
      ? []
      : writeYaml(body)
          .trimEnd()
          .split("\n")
          .map((line) => `  ${line}`)),
  ]);
  return [...(sent.length === 0 ? ["sends nothing"] : sent), `result: ${result}`]
    .flatMap((text) => text.split("\n"))
    .flatMap((line) => wrapped(escaped(line), width));
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

/** Pairs equal lines in order (longest common subsequence); the lines between two pairs stand side by side. */
export function align(left: readonly string[], right: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...commonPairs(left, right), [left.length, right.length] as const]) {
    while (i < a || j < b) {
      rows.push({ left: i < a ? left[i] : undefined, right: j < b ? right[j] : undefined });
      i = Math.min(a, i + 1);
      j = Math.min(b, j + 1);
    }
    if (a < left.length && b < right.length) rows.push({ left: left[i++], right: right[j++] });
  }
  return rows;
}

function commonPairs(
  left: readonly string[],
  right: readonly string[],
): readonly (readonly [number, number])[] {
  if (left.length * right.length > MAX_CELLS) return [];
  const columns = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * columns);
  const at = (i: number, j: number): number => lengths[i * columns + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i * columns + j] =
        left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

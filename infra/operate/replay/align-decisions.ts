import type { Decided } from "../../../shared/runtime/letters/replay.ts";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";

/** A line of each side, or of one of them. */
export interface Row {
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** Longer sides are compared line by line in place: the table of the longest common part would not fit. */
const MAX_CELLS = 4_000_000;

/** Returns a decision as lines for people: its requests, then its result. */
export function linesOfDecision({ result, requests }: Decided): readonly string[] {
  const sent = requests.flatMap(({ title, body }) => [
    title,
    ...(body === undefined
      ? []
      : writeYaml(body)
          .trimEnd()
          .split("\n")
          .map((line) => `  ${line}`)),
  ]);
  return [...(sent.length === 0 ? ["sends nothing"] : sent), `result: ${result}`].flatMap((text) =>
    text.split("\n"),
  );
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

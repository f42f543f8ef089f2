import { compareText } from "../../../shared/rules/conditions/conditions.ts";

const MAX_NAMES = 3;
/** The most names among which one is looked for that a person may have meant. */
const MAX_COMPARED = 1_000;

/** Returns names that a person may have meant by one that nothing has, the nearest first; at most three. */
export function nearNames(name: string, names: readonly string[]): readonly string[] {
  const most = Math.max(1, Math.floor(name.length / 3));
  return names
    .slice(0, MAX_COMPARED)
    .map((other) => ({ other, distance: distanceOf(name, other) }))
    .filter(({ other, distance }) => distance <= most || isPartOf(name, other))
    .toSorted((a, b) => a.distance - b.distance || compareText(a.other, b.other))
    .slice(0, MAX_NAMES)
    .map(({ other }) => other);
}

function isPartOf(a: string, b: string): boolean {
  return a.startsWith(`${b}-`) || b.startsWith(`${a}-`);
}

/** Returns the number of letters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...b].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[at], row[at + 1], row[at]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

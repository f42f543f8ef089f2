import type { Text } from "./sources.ts";

/** `- **KR-09** After a 410 the loop lists …` */
export interface Rule {
  /** `KR-09`, `PC-6.1` */
  readonly id: string;
  /** The page, from the root. */
  readonly page: string;
  readonly holds: string;
  /** Why no test proves it, or not all of it: `built in full: …`, `tested: …`. */
  readonly not: string | undefined;
}

/** Rules of provider contracts, and the workloads, faults and promises of the simulation, have lists of their own. */
const RULE = String.raw`(?:KC|KR|PC|Q|S)-\d+(?:\.\d+)*`;
const ID = new RegExp(`\\b${RULE}\\b`, "g");
const ITEM = new RegExp(String.raw`^- \*\*(${RULE})\*\* (.*)$`, "gm");

/** The ids in a text, each once. */
export function idsIn(text: string): readonly string[] {
  return [...new Set(text.match(ID))];
}

export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf("-"));
}

/** The rules of a page: the items of its lists that begin with an id. */
export function rulesOf({ path, text }: Text): readonly Rule[] {
  return [...text.matchAll(ITEM)].map(([, id = "", holds = ""]) => ({
    id,
    page: path,
    holds,
    not: /(?<=\bNot ).*$/.exec(holds)?.[0],
  }));
}

/** A page without the ids at the beginning of its rules: a rule is not a citation of itself. */
export function withoutOwnIds(text: string): string {
  return text.replaceAll(ITEM, "$2");
}

/** The trimmed cells of a line of a table; none of another line. */
export function cellsOf(line: string): readonly string[] {
  if (!line.startsWith("|")) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The rules that the title of a test names: `Q-01 to Q-03, S-31: …` names four, `… (KC-07, KR-12)` two. */
export function namedBy(title: string): readonly string[] {
  const [, head = ""] = /^((?:[A-Z]+-[\d.]+(?:, | to )?)+): /.exec(title) ?? [];
  const [, tail = ""] = /\(((?:[A-Z]+-[\d.]+(?:, | to )?)+)\)$/.exec(title) ?? [];
  return [head, tail].flatMap((list) => list.split(", ").flatMap(idsOf));
}

/** `Q-01 to Q-03` is three. */
function idsOf(range: string): readonly string[] {
  const [first = "", last = first] = range.split(" to ");
  if (first === last) return [first];
  const [from, until] = [first, last].map((id) => Number(id.slice(id.indexOf("-") + 1)));
  const number = (n: number): string => `${prefixOf(first)}-${String(n).padStart(2, "0")}`;
  return Array.from({ length: Number(until) - Number(from) + 1 }, (_, n) => number(Number(from) + n));
}

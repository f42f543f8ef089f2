import type { Text } from "./sources.ts";

/** One line of a table of rules: what holds, and which tests prove it. */
export interface Rule {
  /** `KR-09`, `MP-6.1` */
  readonly id: string;
  /** The page, from the root. */
  readonly page: string;
  readonly holds: string;
  readonly proofs: readonly Proof[];
  /** Why no code or test cites it: `not cited: …` or `not built: …`. */
  readonly reasons: readonly string[];
  /** Further words of the third column, besides tests and reasons. */
  readonly odd: readonly string[];
}

/** `infra/relay/resync` and the beginning of a title, which may be empty. */
interface Proof {
  readonly file: string;
  readonly title: string;
}

/** Letters of the rules. Workloads (W-01), seeded defects (D-01) and the contracts of providers have lists of their own. */
const LETTERS = "A|CL|F|KC|KR|KW|MA|MG|MHC|MP|MS|PC|Q|R|RL|S|X";
/** Rules of a deployment (D) and of the console (W) have three digits. */
const RULE = `(?:(?:${LETTERS})-R?\\d+(?:\\.\\d+)*|[DW]-\\d{3})`;
const ID = new RegExp(`\\b${RULE}\\b`, "g");
const ROW = new RegExp(`^${RULE}$`);

/** The ids in a text, each once. */
export function idsIn(text: string): readonly string[] {
  return [...new Set(text.match(ID))];
}

export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf("-"));
}

/** The rules of a page. */
export function rulesOf({ path, text }: Text): readonly Rule[] {
  return ruleTables(text)
    .map(cellsOf)
    .filter(([id = ""]) => ROW.test(id))
    .map(([id = "", holds = "", proven = ""]) => ({ id, page: path, holds, ...provenBy(proven) }));
}

/** A page without the first cells of its rules: a row is not a citation of itself. */
export function withoutRowIds(text: string): string {
  return text
    .split("\n")
    .map((line) => (ROW.test(cellsOf(line)[0] ?? "") ? line.slice(line.indexOf("|", 1)) : line))
    .join("\n");
}

const HEADER = /^\| Rule +\| What holds +\| Proven by +\|/;

/** The lines of all tables with these columns first. */
function ruleTables(text: string): readonly string[] {
  const tables = text.match(/(?:^\|.*\n?)+/gm) ?? [];
  return tables.filter((table) => HEADER.test(table)).flatMap((table) => table.split("\n"));
}

/** The trimmed cells of a line of a table; none of another line. */
export function cellsOf(line: string): readonly string[] {
  if (!line.startsWith("|")) return [];
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** `` `infra/relay/resync`: enqueues every; not built: no user yet `` */
function provenBy(cell: string): Pick<Rule, "proofs" | "reasons" | "odd"> {
  const parts = cell.split(/; (?=`|not )/).filter((part) => part !== "");
  const proofs: Proof[] = [];
  const reasons: string[] = [];
  const odd: string[] = [];
  for (const part of parts) {
    const proof = /^`([\w./-]+)`(?:: (.+))?$/.exec(part);
    if (proof !== null) proofs.push({ file: proof[1] ?? "", title: proof[2] ?? "" });
    else if (/^not (?:cited|built): ./.test(part)) reasons.push(part);
    else odd.push(part);
  }
  return { proofs, reasons, odd };
}

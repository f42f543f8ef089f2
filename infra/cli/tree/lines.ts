import type { Detail } from "../../operate/explain/details.ts";
import type { Concern, ObjectFacts } from "../../operate/explain/object-facts.ts";
import type { Problem } from "../../operate/explain/problem.ts";
import { bold, paint, widthOf } from "../../platform/terminal/paint.ts";

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

/** A few lines of text, and what hangs below them. */
export interface Branch {
  /** The lines, at least one. */
  readonly lines: readonly string[];
  readonly children: readonly Branch[];
}

/** Returns the lines of a tree as `tree` draws it: `├─`, `└─`; further lines of a branch stand under its first. */
export function drawTree(branch: Branch): readonly string[] {
  return draw(branch, "", "");
}

function draw({ lines, children }: Branch, first: string, rest: string): readonly string[] {
  const [head = "", ...others] = lines;
  const below = children.length > 0 ? "│ " : "  ";
  return [
    `${first}${head}`,
    ...others.map((line) => `${rest}${below}${line}`),
    ...children.flatMap((child, index) =>
      index === children.length - 1
        ? draw(child, `${rest}└─ `, `${rest}   `)
        : draw(child, `${rest}├─ `, `${rest}│  `),
    ),
  ];
}

/** Returns `MachinePool default/p1 Running 3 of 3 Nodes`. */
export function titleOfFacts(facts: ObjectFacts): string {
  const { object, phase, nodes, deletingSince, standsStill, problem, old } = facts;
  const parts = [paint("bold", object)];
  if (old !== undefined) parts.push(paint("yellow", "old:"));
  if (problem !== undefined) parts.push(paint("red", oneLine(problem)));
  if (phase !== undefined)
    parts.push(GOOD_PHASES.has(phase) && old === undefined ? paint("green", phase) : paint("yellow", phase));
  if (nodes !== undefined) parts.push(`${nodes} Nodes`);
  if (deletingSince !== undefined) parts.push(paint("yellow", `being deleted since ${deletingSince}`));
  if (standsStill !== undefined) parts.push(paint("yellow", oneLine(standsStill)));
  return parts.join("  ");
}
const GOOD_PHASES = new Set(["Running", "Provisioned"]);

/** The details, then the conditions that none of them says in full. */
export function linesOfFacts({ conditions, details = [] }: ObjectFacts): readonly string[] {
  const said = new Set(details.map(({ condition }) => condition));
  return [...detailLines(details), ...conditions.filter(({ type }) => !said.has(type)).map(textOfConcern)];
}

/** Returns `Available False (NotAvailable): 0 available replicas, 3 desired`. */
export function textOfConcern({ type, status, reason, message }: Concern): string {
  const why = [reason === "" ? "" : ` (${reason})`, message === "" ? "" : `: ${message}`].join("");
  return `${paint("yellow", `${type} ${status}`)}${oneLine(why)}`;
}

const MAX_CHARS = 300;
/** Foreign messages must not break the line, colour the terminal or fill the screen. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").slice(0, MAX_CHARS);
}

const MAX_DETAIL_CHARS = 1_000;

/** Returns details as a table of two columns; further lines of a detail stand under its second column. */
export function detailLines(details: readonly Detail[]): readonly string[] {
  const width = Math.max(0, ...details.map(({ about }) => about.length));
  return details.flatMap(({ about, lines, isProblem }) =>
    lines.map((line, at) => {
      const head = (at === 0 ? about : "").padEnd(width);
      const text = line.replace(/[\p{Cc}\s]+/gu, " ").slice(0, MAX_DETAIL_CHARS);
      return `${paint("dim", head)}  ${isProblem && at === 0 ? paint("yellow", text) : text}`;
    }),
  );
}

/** More than these do not fit on a screen; `-o json` has all of them. */
const MAX_ROWS = 50;

/** Returns a part of a plan behind an empty line: a title, and at most 50 lines of it. Nothing without lines. */
export function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_ROWS;
  const shown = more > 0 ? [...lines.slice(0, MAX_ROWS), `… and ${more} more; -o json lists all`] : lines;
  return ["", bold(title), ...shown.map((line) => `  ${line}`)];
}

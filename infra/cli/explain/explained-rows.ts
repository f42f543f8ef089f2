import type { Explained, ExplainedFunction } from "../../operate/explain/explain-tree.ts";
import type { ObjectFacts } from "../../operate/explain/object-facts.ts";
import { textOfConcern, titleOfFacts } from "../tree/fact-lines.ts";
import { textOfFunction } from "./explain-text.ts";

/** The facts of one object of a tree, or how one function stands for it. */
export type ExplainedRow = ObjectFacts | (ExplainedFunction & { readonly object: string });

/** Returns a tree as rows, so that each change of one can be said alone. */
export function rowsOf({ functions, children, more: _, ...facts }: Explained): readonly ExplainedRow[] {
  const { object } = facts;
  return [facts, ...functions.map((each) => ({ ...each, object })), ...children.flatMap(rowsOf)];
}

export function idOfRow(row: ExplainedRow): string {
  return "function" in row ? `${row.object}  ${row.function}` : row.object;
}

/** One line without what passes by itself, such as the time until the next run. */
export function textOfRow(row: ExplainedRow): string {
  if ("function" in row) return `${idOfRow(row)}  ${textOfFunction(row)}`;
  return [titleOfFacts(row), ...row.conditions.map(textOfConcern)].join("  ");
}

import type { Concern, ObjectFacts } from "../../operate/explain/object-facts.ts";
import { paint } from "../../platform/terminal/paint.ts";
import { detailLines } from "./detail-lines.ts";

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

import { valueAt } from "../../../shared/api/path.ts";
import { textOf } from "../fields.ts";
import { paint } from "../terminal/paint.ts";
import { type Detail, detailLines, detailsOf } from "./details.ts";
import type { ObjectNode } from "./object-tree.ts";

/** The most important facts about an object. */
export interface ObjectFacts {
  /** `MachinePool default/p1`. */
  readonly object: string;
  readonly phase?: string;
  /** `3 of 5`. */
  readonly nodes?: string;
  readonly deletingSince?: string;
  /** Why it is not there. */
  readonly problem?: string;
  /** Conditions that show a problem. */
  readonly conditions: readonly Concern[];
  /** Of Machines and MachineSets. */
  readonly details?: readonly Detail[];
}

export interface Concern {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Types whose good status is False. */
const GOOD_WHEN_FALSE = new Set([
  "Deleting",
  "Paused",
  "Remediating",
  "RollingOut",
  "ScalingDown",
  "ScalingUp",
  "Updating",
]);

export function factsOf({ kind, key, object, problem }: ObjectNode): ObjectFacts {
  const name = `${kind.kind} ${textOf(key)}`;
  if (object === undefined) return { object: name, ...(problem ? { problem } : {}), conditions: [] };
  const phase = valueAt(object, "status.phase");
  const refs = valueAt(object, "status.nodeRefs");
  const replicas = valueAt(object, "spec.replicas");
  const nodes = Array.isArray(refs) ? refs.length : 0;
  const { deletionTimestamp } = object.metadata;
  const details = detailsOf(kind, object);
  return {
    object: name,
    ...(typeof phase === "string" ? { phase } : {}),
    ...(kind.kind === "MachinePool" ? { nodes: `${nodes} of ${String(replicas ?? "?")}` } : {}),
    ...(deletionTimestamp === undefined ? {} : { deletingSince: deletionTimestamp }),
    conditions: concernsOf(valueAt(object, "status.conditions")),
    ...(details.length === 0 ? {} : { details }),
  };
}

/** Conditions of providers are foreign data: malformed ones are left out. */
function concernsOf(conditions: unknown): readonly Concern[] {
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((one: unknown) => {
    const [type, status, reason, message] = ["type", "status", "reason", "message"].map((field) =>
      String(valueAt(one, field) ?? ""),
    ) as [string, string, string, string];
    const wanted = GOOD_WHEN_FALSE.has(type) ? "False" : "True";
    return type === "" || status === wanted ? [] : [{ type, status, reason, message }];
  });
}

/** `MachinePool default/p1  Running  3 of 3 Nodes`. */
export function titleOfFacts({ object, phase, nodes, deletingSince, problem }: ObjectFacts): string {
  const parts = [paint("bold", object)];
  if (problem !== undefined) parts.push(paint("red", oneLine(problem)));
  if (phase !== undefined)
    parts.push(GOOD_PHASES.has(phase) ? paint("green", phase) : paint("yellow", phase));
  if (nodes !== undefined) parts.push(`${nodes} Nodes`);
  if (deletingSince !== undefined) parts.push(paint("yellow", `being deleted since ${deletingSince}`));
  return parts.join("  ");
}
const GOOD_PHASES = new Set(["Running", "Provisioned"]);

/** The details, then the conditions that none of them says in full. */
export function linesOfFacts({ conditions, details = [] }: ObjectFacts): readonly string[] {
  const said = new Set(details.map(({ condition }) => condition));
  return [...detailLines(details), ...conditions.filter(({ type }) => !said.has(type)).map(textOfConcern)];
}

/** `Available False (NotAvailable): 0 available replicas, 3 desired`. */
function textOfConcern({ type, status, reason, message }: Concern): string {
  const why = [reason === "" ? "" : ` (${reason})`, message === "" ? "" : `: ${message}`].join("");
  return `${paint("yellow", `${type} ${status}`)}${oneLine(why)}`;
}

const MAX_CHARS = 300;
/** Foreign messages must not break the line, colour the terminal or fill the screen. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").slice(0, MAX_CHARS);
}

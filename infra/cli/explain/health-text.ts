import type { HealthReport, TargetReport } from "../../../shared/function/health-report.ts";
import type { Detail } from "../../operate/explain/details.ts";
import type { ExplainedHealth } from "../../operate/explain/explain-health.ts";
import { paint } from "../../platform/terminal/paint.ts";
import { ageOf, tableLines } from "../../platform/terminal/table.ts";
import { detailLines } from "../tree/lines.ts";

/** Ten thousand targets must not fill a terminal: the rest is counted; `-o json` has all of them. */
const MAX_ROWS = 50;
/** The table of a Machine: at most so many health checks. */
const MAX_CHECKS = 50;
const MAX_FINDINGS = 3;

/** Returns a health check as facts and a table of its targets that are not healthy or keep a place. */
export function textOfCheck(health: ExplainedHealth, now: Date): readonly string[] {
  const { targets } = health;
  const reported = targets.filter(({ verdict, place }) => verdict !== "healthy" || place !== undefined);
  const rest = targets.length - reported.length;
  const more = reported.length - MAX_ROWS;
  return [
    ...detailLines(factsOf(health, now)),
    ...tableOf(
      "MACHINE",
      reported.slice(0, MAX_ROWS).map((target) => ({ name: target.machine, target })),
      now,
    ),
    ...(more > 0 ? [paint("dim", `and ${more} more that are not healthy; -o json shows all`)] : []),
    ...(rest > 0 ? [paint("dim", `${rest} ${rest === 1 ? "target is" : "targets are"} healthy`)] : []),
  ];
}

/** Returns what each health check says of one Machine. */
export function textOfMachineHealth(checks: readonly ExplainedHealth[], now: Date): readonly string[] {
  const rows = checks.slice(0, MAX_CHECKS).flatMap(({ healthCheck, targets }) => {
    return targets.map((target) => ({ name: healthCheck, target }));
  });
  const more = checks.length - MAX_CHECKS;
  const details = checks.slice(0, MAX_CHECKS).flatMap((health) => aboutMachine(health, now));
  return [
    ...tableOf("HEALTH CHECK", rows, now),
    ...detailLines(details),
    ...(more > 0 ? [paint("dim", `and ${more} more health checks; -o json shows all`)] : []),
  ];
}

interface Row {
  readonly name: string;
  readonly target: TargetReport;
}

function tableOf(first: string, rows: readonly Row[], now: Date): readonly string[] {
  if (rows.length === 0) return [];
  return tableLines(
    [first, "VERDICT", "SINCE", "NEXT", "PLACE", "WAITS FOR"],
    rows.map(({ name, target }) => cellsOf(name, target, now)),
  );
}

function cellsOf(name: string, target: TargetReport, now: Date): readonly string[] {
  const { verdict, reason, since, next, place, waitsFor } = target;
  return [
    name,
    reason === undefined ? verdict : `${verdict}: ${reason}`,
    since === undefined ? "" : ageOf(since, now),
    next === undefined ? "" : inTime(next, now),
    place ?? "",
    waitsFor ?? "",
  ];
}

/** Returns `in 45s`. */
function inTime(at: string, now: Date): string {
  return `in ${ageOf(now.toISOString(), new Date(at))}`;
}

function factsOf(health: ExplainedHealth, now: Date): readonly Detail[] {
  const { counts, limit, targets } = health;
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  return [
    ...heldOf(health),
    ...nodesOf(health, now),
    {
      about: "targets",
      lines: [[String(targets.length), ...states.map(([is, count]) => `${count} ${is}`)].join(", ")],
    },
    ...(limit === undefined ? [] : [limitOf(limit)]),
    ...handOverOf(health, now),
  ];
}

/** Returns why it rests, which of its checks never fail, and with which others it shares targets. */
function heldOf({ held, remarks = [], overlap }: HealthReport): readonly Detail[] {
  const of = (about: string, lines: readonly string[]): Detail[] =>
    lines.length === 0 ? [] : [{ about, lines, isProblem: true }];
  const one = (text: string | undefined) => (text === undefined ? [] : [text]);
  return [...of("held", one(held)), ...of("never fails", remarks), ...of("overlaps", one(overlap))];
}

function limitOf(limit: NonNullable<HealthReport["limit"]>): Detail {
  const { isAllowed, message, used, places, isStored } = limit;
  const room = `${used} ${used === 1 ? "place" : "places"} used`;
  const ofAll = places === undefined ? room : `${used} of ${places} places used`;
  const by = isStored === true ? "as the status had it while Nodes were visible: " : "";
  if (isAllowed) return { about: "limit", lines: [`${by}allows remediation, ${ofAll}`] };
  return { about: "limit", lines: [`${by}${message}; ${ofAll}`], isProblem: true };
}

function handOverOf({ handOver }: HealthReport, now: Date): readonly Detail[] {
  if (handOver === undefined) return [];
  const { because, text, until } = handOver;
  const end = until === undefined ? "" : ` (${inTime(until, now)})`;
  return [{ about: "hand-over", lines: [`waits for ${because}${end}: ${text}`], isProblem: true }];
}

function nodesOf({ unseen }: ExplainedHealth, now: Date): readonly Detail[] {
  if (unseen === undefined) return [];
  const { since, reason } = unseen;
  const age = since === undefined ? "" : ` since ${since} (${ageOf(since, now)})`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return [{ about: "Nodes", lines: [`are not visible${age}${why}`], isProblem: true }];
}

/** Facts for which a table has no room: findings, the request, and what keeps the check itself. */
function aboutMachine(health: ExplainedHealth, now: Date): readonly Detail[] {
  const { healthCheck, requestState, targets } = health;
  const findings = targets.flatMap(({ findings: texts = [] }) => texts.slice(0, MAX_FINDINGS));
  const requests = targets.flatMap(({ request }) => (request === undefined ? [] : [request]));
  const details: readonly Detail[] = [
    ...heldOf(health),
    ...nodesOf(health, now),
    ...(findings.length === 0 ? [] : [{ about: "found", lines: findings }]),
    ...handOverOf(health, now),
    ...requests.map(({ kind, name, since, isDeleting }) => ({
      about: "request",
      lines: [
        [
          `${kind} ${name}`,
          ...(since === undefined ? [] : [`for ${ageOf(since, now)}`]),
          ...(isDeleting === true ? ["being deleted"] : []),
          requestState ?? "",
        ].join(", "),
      ],
    })),
  ];
  return details.map((detail) => ({ ...detail, about: `${healthCheck} ${detail.about}` }));
}

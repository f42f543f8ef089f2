import type { ReportedStandstill, RolloutReport } from "../../operate/rollout/rollout-report.ts";
import { rolloutText } from "../../operate/rollout/rollout-text.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { causeLines } from "../tree/cause-lines.ts";

/** Returns a rollout for people: limits, what holds it up, each step with its Machines, and how it ends. */
export function rolloutLines(report: RolloutReport): readonly string[] {
  const { object, standsStill, startsAt } = report;
  const { limits, rows, summary } = rolloutText(report);
  return [
    `${bold(object.slice(object.indexOf(" ") + 1))}: ${limits}`,
    ...(standsStill === undefined ? [] : standstillLines(standsStill)),
    ...(startsAt === undefined ? [] : [paint("yellow", `! begins at ${startsAt}: spec.rollout.after`)]),
    ...blockerLines(report),
    ...tableLines(
      ["", "", "", "", ""],
      rows.map((row) => ["", ...row]),
    ).slice(1),
    ...summary,
  ];
}

/** A rollout that waits for a Machine to start needs no person yet. */
function standstillLines({ cause, next, since, isHeld, isOverdue }: ReportedStandstill): readonly string[] {
  const isStuck = isHeld || isOverdue;
  const when = since === undefined ? "" : ` since ${since}`;
  return causeLines({
    cause: `${isStuck ? "stands still" : "waits"}${when}: ${cause}`,
    next: isStuck ? next : "",
    severity: isOverdue ? "broken" : "held",
  });
}

function blockerLines({ blockers: { missing, checks }, end, newSet }: RolloutReport): readonly string[] {
  const red = (what: string) => (why: string) => paint("red", `! ${what}: ${why}`);
  if (end === "blocked") return missing.map(red("no MachineSet can be made, and no size changes"));
  return checks.map(red(`MachineSet ${newSet} would make no Machine`));
}

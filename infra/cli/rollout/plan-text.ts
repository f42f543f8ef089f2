import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import type { Change } from "../../../shared/rules/rollout/plan-types.ts";
import type { Step } from "../../../shared/rules/rollout/rehearse.ts";
import type { ReportedSet, ReportedStandstill, RolloutReport } from "../../operate/rollout/rollout-report.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { count } from "../plan-lines.ts";
import { causeLines } from "../tree/cause-lines.ts";

/** Longer rollouts show their first and last steps; those between are alike. */
const MAX_STEPS = 12;
const FIRST_STEPS = 6;
const MAX_NAMES = 3;

/** Returns a rollout for people: limits, what holds it up, each step with its Machines, and how it ends. */
export function rolloutLines(report: RolloutReport): readonly string[] {
  const { standsStill, startsAt } = report;
  return [
    headline(report),
    ...(standsStill === undefined ? [] : standstillLines(standsStill)),
    ...(startsAt === undefined ? [] : [paint("yellow", `! begins at ${startsAt}: spec.rollout.after`)]),
    ...blockerLines(report),
    ...stepTable(report),
    ...summary(report),
  ];
}

/** Returns `default/md: 3 Machines, surge 1, unavailable 0: at least 3 available, at most 4`. */
export function headline({ object, replicas, strategy, limits }: RolloutReport): string {
  const name = bold(object.slice(object.indexOf(" ") + 1));
  const { surge, unavailable, atLeast, atMost } = limits;
  return strategy === "OnDelete"
    ? `${name}: ${count(replicas, "Machine")}, OnDelete: a Machine is replaced once a person has deleted it`
    : `${name}: ${count(replicas, "Machine")}, surge ${surge}, unavailable ${unavailable}: at least ${atLeast} available, at most ${atMost}`;
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

interface Shown {
  readonly step: Step;
  /** Sets that are removed behind it. */
  readonly removes: readonly string[];
  readonly before: Step | undefined;
}

function stepTable({ sets, steps, newSet }: RolloutReport): readonly string[] {
  const now = sets.map((set) => ["now", setText(set), `${set.available} of ${set.size} available`]);
  const rows = withRemovals(steps).map((shown, at) => [
    String(at + 1),
    changeText(shown, newSet),
    moveText(shown),
    `total ${shown.step.total}, available ${shown.step.available}`,
  ]);
  const hidden = rows.length - MAX_STEPS;
  const folded =
    hidden <= 0
      ? rows
      : [
          ...rows.slice(0, FIRST_STEPS),
          ["…", `${hidden} more steps like these; -o json lists all`],
          ...rows.slice(FIRST_STEPS + hidden),
        ];
  return tableLines(
    ["", "", "", "", ""],
    [...now, ...folded].map((row) => ["", ...row]),
  ).slice(1);
}

function setText({ name, revision, isCurrent }: ReportedSet): string {
  return `${name} (${revision === undefined ? "no revision" : `revision ${revision}`}${isCurrent ? ", current" : ""})`;
}

/** Joins a step that only removes sets to the one before it. */
function withRemovals(steps: readonly Step[]): readonly Shown[] {
  const shown: Shown[] = [];
  for (const [at, step] of steps.entries()) {
    const removes = step.changes.flatMap((change) => (change.do === "remove" ? [change.set] : []));
    const last = shown.at(-1);
    const isRemoval = removes.length > 0 && removes.length === step.changes.length;
    if (isRemoval && last !== undefined) shown.splice(-1, 1, { ...last, removes });
    else shown.push({ step, removes: [], before: steps[at - 1] });
  }
  return shown;
}

function changeText({ step, removes }: Shown, newSet: string): string {
  const texts = step.changes.map((change) => textOfChange(change, newSet));
  const isFollowing = step.made.length + step.gone.length > 0;
  const quiet = isFollowing ? "Machines follow their sets" : "Machines become available";
  const text = texts.length === 0 ? quiet : texts.join("; ");
  return removes.length === 0 ? text : `${text}; then ${listNames(removes, MAX_NAMES)} is removed`;
}

function textOfChange(change: Change, newSet: string): string {
  switch (change.do) {
    case "create":
      return `make ${newSet} (revision ${change.revision}) with ${change.replicas}`;
    case "resize":
      return `${change.set} ${change.from} -> ${change.to}`;
    case "revise":
      return `${change.set} is current again, as revision ${change.revision}`;
    default:
      return `remove ${change.set}`;
  }
}

/** Returns `m1 goes, once 1 of md-9xw5d is available`: the victims, and the end of the step before. */
function moveText({ step, before }: Shown): string {
  const victims = namesOf(step);
  const goes = victims === "" ? [] : [`${victims} ${step.gone.length === 1 ? "goes" : "go"}`];
  const made = before?.made.map(({ set, count: machines }) => `${machines} of ${set}`) ?? [];
  const gone = before === undefined ? "" : namesOf(before);
  const awaited = [
    ...(made.length === 0 ? [] : [`${made.join(" and ")} ${isOne(before) ? "is" : "are"} available`]),
    ...(made.length > 0 || gone === "" ? [] : [`${gone} ${before?.gone.length === 1 ? "is" : "are"} gone`]),
  ];
  return [...goes, ...awaited.map((what) => `once ${what}`)].join(", ");
}

function isOne(step: Step | undefined): boolean {
  return step?.made.length === 1 && step.made[0]?.count === 1;
}

function namesOf({ gone }: Step): string {
  return listNames(
    gone.map(({ machine, set }) => machine ?? `one of ${set}`),
    MAX_NAMES,
  );
}

function summary(report: RolloutReport): readonly string[] {
  const { steps, withBrokenTemplate: broken } = report;
  const made = steps.reduce((so, step) => so + step.made.reduce((sum, { count: one }) => sum + one, 0), 0);
  const gone = steps.reduce((so, step) => so + step.gone.length, 0);
  const waits = steps.filter((_, at) => (steps[at - 1]?.made.length ?? 0) > 0).length;
  const steady = `${count(waits, "step")} ${waits === 1 ? "waits" : "wait"} for new Machines.`;
  const sums = `${count(made, "Machine")} ${made === 1 ? "is" : "are"} made, ${gone} deleted; ${steady}`;
  return [
    ...(made + gone === 0 ? [] : [sums]),
    ...endLines(report),
    ...(broken === undefined
      ? []
      : [
          `With new Machines that never become available it stops ${broken.afterSteps === 0 ? "here" : `after step ${broken.afterSteps}`}: ${broken.available} available, ${count(broken.machines, "Machine")}.`,
        ]),
  ];
}

function endLines({ end, steps }: RolloutReport): readonly string[] {
  const first = steps.length === 0 ? "It" : "Then it";
  switch (end) {
    case "done":
      return steps.length === 0 ? [paint("green", "Nothing to do: the rollout is done.")] : [];
    case "blocked":
      return [];
    case "cut":
      return ["There are more steps than are rehearsed."];
    case "place":
      return [`${first} waits until a person deletes a Machine of an old set.`];
    case "paused":
      return [`${first} stands still until spec.paused is removed: no set is made or removed.`];
    default:
      return [
        `${first} stands still: it waits for ${end === "deletion" ? "Machines to be gone" : "Machines to become available"}.`,
      ];
  }
}

import { counted } from "../../../shared/rules/conditions/counted.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import type { Change } from "../../../shared/rules/rollout/plan-types.ts";
import type { Step } from "../../../shared/rules/rollout/rehearse.ts";
import type { ReportedSet, RolloutReport } from "./rollout-report.ts";

/** Longer rollouts show their first and last steps; those between are alike. */
const MAX_STEPS = 12;
const FIRST_STEPS = 6;
const MAX_NAMES = 3;

/** A rollout in words. */
export interface RolloutText {
  /** `3 Machines, surge 1, unavailable 0: at least 3 available, at most 4` */
  readonly limits: string;
  /** The sets now, then the steps, each with at most four cells: number, change, Machines, counts. */
  readonly rows: readonly (readonly string[])[];
  /** The sums, and how it ends. */
  readonly summary: readonly string[];
}

export function rolloutText(report: RolloutReport): RolloutText {
  return { limits: limitsText(report), rows: rowsOf(report), summary: summaryOf(report) };
}

function limitsText({ replicas, strategy, limits }: RolloutReport): string {
  const { surge, unavailable, atLeast, atMost } = limits;
  return strategy === "OnDelete"
    ? `${counted(replicas, "Machine")}, OnDelete: a Machine is replaced once a person has deleted it`
    : `${counted(replicas, "Machine")}, surge ${surge}, unavailable ${unavailable}: at least ${atLeast} available, at most ${atMost}`;
}

interface Shown {
  readonly step: Step;
  /** Sets that are removed behind it. */
  readonly removes: readonly string[];
  readonly before: Step | undefined;
}

function rowsOf({ sets, steps, newSet }: RolloutReport): readonly (readonly string[])[] {
  const now = sets.map((set) => ["now", setText(set), `${set.available} of ${set.size} available`]);
  const rows = withRemovals(steps).map((shown, at) => [
    String(at + 1),
    changeText(shown, newSet),
    moveText(shown),
    `total ${shown.step.total}, available ${shown.step.available}`,
  ]);
  const hidden = rows.length - MAX_STEPS;
  if (hidden <= 0) return [...now, ...rows];
  const others = ["…", `${hidden} more steps like these; -o json lists all`];
  return [...now, ...rows.slice(0, FIRST_STEPS), others, ...rows.slice(FIRST_STEPS + hidden)];
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
  const text = texts.length === 0 ? followText(step) : texts.join("; ");
  return removes.length === 0 ? text : `${text}; then ${listNames(removes, MAX_NAMES)} is removed`;
}

/** Returns what sets do whose sizes have been written before. */
function followText({ made, gone }: Step): string {
  const makes = made.map(({ set, count }) => `${set} makes ${counted(count, "Machine")}`);
  if (makes.length > 0) return makes.join("; ");
  return gone.length > 0 ? "Machines go that are too many" : "Machines become available";
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

/** Returns what all steps come to, how the rollout ends, and what a broken template would do. */
function summaryOf(report: RolloutReport): readonly string[] {
  const { steps, withBrokenTemplate: broken } = report;
  const made = steps.reduce((so, step) => so + step.made.reduce((sum, { count: one }) => sum + one, 0), 0);
  const gone = steps.reduce((so, step) => so + step.gone.length, 0);
  const waits = steps.filter((_, at) => (steps[at - 1]?.made.length ?? 0) > 0).length;
  const steady = `${counted(waits, "step")} ${waits === 1 ? "waits" : "wait"} for new Machines.`;
  const sums = `${counted(made, "Machine")} ${made === 1 ? "is" : "are"} made, ${gone} deleted; ${steady}`;
  return [
    ...(made + gone === 0 ? [] : [sums]),
    ...endLines(report),
    ...(broken === undefined
      ? []
      : [
          `With new Machines that never become available it stops ${broken.afterSteps === 0 ? "here" : `after step ${broken.afterSteps}`}: ${broken.available} available, ${counted(broken.machines, "Machine")}.`,
        ]),
  ];
}

function endLines({ end, steps }: RolloutReport): readonly string[] {
  const first = steps.length === 0 ? "It" : "Then it";
  switch (end) {
    case "done":
      return steps.length === 0 ? ["Nothing to do: the rollout is done."] : [];
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

import { titleOfWrite } from "../../../shared/runtime/letters/run-entry.ts";
import type { KeyHistory, RunEntry } from "../../../shared/runtime/letters/run-history.ts";
import type { KeyState } from "../../../shared/runtime/queue/queue-port.ts";
import type { Dependency, StepNow } from "../../operate/explain/explain-step.ts";
import type { Explained, ExplainedFunction } from "../../operate/explain/explain-tree.ts";
import type { Folded, HeldUp } from "../../operate/explain/fold-causes.ts";
import { textOfLeftOut } from "../../operate/explain/siblings.ts";
import { paint } from "../../platform/terminal/paint.ts";
import { ageOf, timeText } from "../../platform/terminal/table.ts";
import { type Branch, causeLines, drawTree, linesOfFacts, oneLine, titleOfFacts } from "../tree/lines.ts";

/**
 * Returns the tree for people, line by line, with each root cause once, below the object of the command, and without idle
 * functions.
 */
export function textOfFolded({ explained, causes, idle }: Folded, now: Date): readonly string[] {
  const { lines, children } = branchOf(explained, now);
  const [title = "", ...concerns] = lines;
  // With old knowledge, "nothing to do" would be false comfort.
  const isOld = causes.some(({ about }) => about === "freshness");
  const nothing = isOld
    ? "would change nothing of what is read live"
    : idle === 1
      ? "has nothing to do"
      : "have nothing to do";
  const hidden = `${idle} ${idle === 1 ? "function" : "functions"} ${nothing}`;
  return [
    ...drawTree({ lines: [title, ...causes.flatMap(linesOfCause), ...concerns], children }),
    ...(idle === 0 ? [] : [paint("dim", `${hidden}; --all shows each`)]),
  ];
}

function linesOfCause(cause: HeldUp): readonly string[] {
  // A pause holds up everything.
  const all = [`${cause.holdsUp.length} objects`];
  const heldUp = cause.about === "paused" && cause.holdsUp.length > 0 ? all : listedObjects(cause.holdsUp);
  return [...causeLines(cause), ...heldUp.map((text) => paint("dim", `  holds up ${text}`))];
}

const MAX_OBJECTS = 5;
function listedObjects(texts: readonly string[]): readonly string[] {
  const more = texts.length - MAX_OBJECTS;
  return [...texts.slice(0, MAX_OBJECTS), ...(more > 0 ? [`${more} more objects`] : [])];
}

function branchOf(explained: Explained, now: Date): Branch {
  const { functions, children, more } = explained;
  const width = Math.max(0, ...functions.map((each) => each.function.length));
  return {
    lines: [titleOfFacts(explained), ...linesOfFacts(explained)],
    children: [
      ...functions.map((each) => functionBranch(each, width, now)),
      ...children.map((child) => branchOf(child, now)),
      ...more.map((one) => ({ lines: [paint("dim", textOfLeftOut(one))], children: [] })),
    ],
  };
}

function functionBranch(explained: ExplainedFunction, width: number, now: Date): Branch {
  const { function: name, history, lastWrote, deadLetter } = explained;
  const { state, lastRun } = history ?? {};
  const details = [
    ...(state?.state === "dead" ? [`now       ${textOfNow(explained.now)}`] : []),
    ...(lastRun === undefined ? [] : [runLine(lastRun, now)]),
    ...(lastWrote === undefined
      ? []
      : [`wrote     ${whenWritten(lastWrote.at, now)}: ${listed(lastWrote.fields)}`]),
    ...(state === undefined ? [] : [`next run  ${nextRun(state, now)}`]),
    ...errorLines(explained, now),
    ...(deadLetter === undefined
      ? []
      : [
          `letter    capstan dlq show ${name} '${explained.key}' (${deadLetter.reason}, ${deadLetter.times}×)`,
        ]),
  ];
  return {
    lines: [`${name.padEnd(width)}  ${verdict(explained)}`, ...details.map((line) => paint("dim", line))],
    children: [],
  };
}

/** An entry of managedFields that an API server has made itself has no time. */
function whenWritten(at: string | undefined, now: Date): string {
  return at === undefined ? "at a time that is not known" : `${ageOf(at, now)} ago`;
}

/** The one line that answers "why is it stuck?". */
function verdict({ now, history }: ExplainedFunction): string {
  const { state } = history ?? {};
  if (state?.state === "dead") {
    return `${paint("red", "dead")}, and tried again every 10 to 15 minutes: ${oneLine(state.failure?.message ?? "")}`;
  }
  const lost = history !== undefined && state === undefined && now.wouldSend.length > 0;
  const next = history === undefined || state !== undefined ? "" : paint("dim", "; next run on an event");
  return `${textOfNow(now)}${lost ? paint("yellow", `; but ${whyNotQueued(now, history)}`) : next}`;
}

/** A write that leaves everything as it is wakes no run, and would be the same the next time. */
function whyNotQueued({ wouldSend }: StepNow, { lastRun }: KeyHistory): string {
  const sent = new Set(lastRun?.writes.map(titleOfWrite));
  return wouldSend.every((title) => sent.has(title))
    ? "its last run sent the same and changed nothing: another field manager holds what it wants to change"
    : "nothing is queued: the relay has not seen it yet, or a resync will bring it back";
}

/** The same without the time until its next run. */
export function textOfFunction({ now, history }: ExplainedFunction): string {
  const { state } = history ?? {};
  if (state?.state === "dead") return `dead: ${oneLine(state.failure?.message ?? "")}`;
  const { againAfterMs: _, ...settled } = now;
  return textOfNow(settled);
}

/** Returns the result of a step that ran now, in one line. */
function textOfNow(now: StepNow): string {
  const { failure, notListed, notRead, old, wouldSend, waitsFor, againAfterMs, why } = now;
  if (old !== undefined) return paint("yellow", "not known, as its snapshots are old");
  if (failure !== undefined)
    return paint("red", `would fail: ${failure.reason}: ${oneLine(failure.message)}`);
  if (notRead !== undefined) return paint("yellow", oneLine(notRead));
  if (notListed === true)
    return paint("yellow", oneLine(why ?? "the objects that it reads are not completely listed yet"));
  const parts = [
    ...(wouldSend.length === 0 ? [] : [paint("cyan", `would ${listed(wouldSend)}`)]),
    ...(waitsFor === undefined ? [] : [paint("yellow", `waits for ${oneLine(textOfDependency(waitsFor))}`)]),
    ...(againAfterMs === undefined
      ? []
      : [`runs again in ${timeText(againAfterMs)}${why === undefined ? "" : `: ${oneLine(why)}`}`]),
  ];
  return parts.length === 0 ? paint("green", "nothing to do") : parts.join("; ");
}

/** Returns `Cluster default/demo: spec.paused is true`. */
function textOfDependency({ reason, ...dependency }: Dependency): string {
  const text = nameOfDependency(dependency);
  return reason === undefined ? text : `${text}: ${reason}`;
}

function nameOfDependency({ what, object, field, value, isGoing }: Dependency): string {
  if (object === undefined) return what;
  if (field === undefined)
    return what.includes(" deleted") ? `${object} to be deleted` : `${object}${wordsBehind(what)}`;
  // An object's uid comes and goes with the object.
  if (field === "metadata.uid") {
    if (value === undefined) return `${object} to be created`;
    return isGoing === true ? `${object} to be deleted` : `any ${object.split(" ")[0]} to come or go`;
  }
  if (String(value).startsWith("a list of ")) return `${object}: ${field}, ${String(value)}, to change`;
  return `${object}: ${field} ${value === undefined ? "is not set" : `is ${String(value)}`}`;
}

/** Returns `: words` of `MachineSet: words`. */
function wordsBehind(what: string): string {
  const end = what.indexOf(": ");
  return end < 0 ? "" : what.slice(end);
}

function runLine(run: RunEntry, now: Date): string {
  const { endedAt, durationMs, runId, causes } = run;
  const why = causes.length === 0 ? "" : ` because of ${causesText(causes)}`;
  return `last run  ${ageOf(endedAt, now)} ago${why}: ${whatItDid(run)} (${durationMs} ms, run ${runId})`;
}

function whatItDid({ outcome, failure, writes, moreWrites = 0, waitingFor }: RunEntry): string {
  if (failure !== undefined) return `failed: ${failure.reason}: ${oneLine(failure.message)}`;
  if (outcome === "again") return "its snapshots were stale, or it lost a race";
  if (writes.length > 0) return listed(writes.map(titleOfWrite), moreWrites);
  return waitingFor === undefined ? "nothing to do" : `waited for ${oneLine(waitingFor)}`;
}

const MAX_CAUSES = 3;
function causesText(causes: RunEntry["causes"]): string {
  const texts = causes
    .slice(0, MAX_CAUSES)
    .map(({ what, resourceVersion }) =>
      resourceVersion === undefined ? what : `${what}@${resourceVersion}`,
    );
  const more = causes.length - texts.length;
  return `${texts.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function nextRun(state: KeyState, now: Date): string {
  const { since, until, causes, owner, failures } = state;
  const why = causes.length === 0 ? "" : ` because of ${causesText(causes)}`;
  const tried = failures === 0 ? "" : `, after ${failures === 1 ? "1 failure" : `${failures} failures`}`;
  switch (state.state) {
    case "waiting":
      return `in ${timeText((until?.getTime() ?? 0) - now.getTime())}${tried}${why}`;
    case "ready":
      return `as soon as a worker is free; ready for ${ageSince(since, now)}${tried}${why}`;
    case "running":
      return `it runs now, for ${ageSince(since, now)}, at ${owner ?? "a worker"}`;
    case "dead":
      return `${until === undefined ? "" : `in ${timeText(until.getTime() - now.getTime())}, or `}when its object changes; dead for ${ageSince(since, now)}${tried}`;
    default:
      return state.state satisfies never;
  }
}

function errorLines({ history, deadLetter }: ExplainedFunction, now: Date): readonly string[] {
  const failure = history?.state?.failure;
  if (failure !== undefined)
    return [`error     ${failure.class} ${failure.reason}: ${oneLine(failure.message)}`];
  if (deadLetter === undefined) return [];
  const { error, deadSince } = deadLetter;
  return [`error     ${ageOf(deadSince, now)} ago: ${error.reason}: ${oneLine(error.message)}`];
}

const MAX_LISTED = 4;
function listed(texts: readonly string[], notShown = 0): string {
  const more = texts.length - MAX_LISTED + notShown;
  return `${texts.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function ageSince(since: Date | undefined, now: Date): string {
  return since === undefined ? "a while" : ageOf(since.toISOString(), now);
}

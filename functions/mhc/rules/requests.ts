import type { Kind } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type {
  GuardedDelete,
  GuardedPatch,
  NewObject,
  Notice,
  StepContext,
} from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { done, type Result, requeueAfter, soonest } from "../../../shared/function/result.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { binding, permissionFor } from "./binding.ts";
import { type HandOver, handOver } from "./hand-over.ts";
import { type Judged, judge } from "./judge.ts";
import { type Answered, answered, readForHandOver } from "./live-reads.ts";
import { EXTERNAL_MARK } from "./machine-writes.ts";
import { blocked, refusalNotices, refusedUntilMs } from "./notices.ts";
import { speaksFor } from "./overlap.ts";
import { requestLandsUntilMs } from "./places.ts";
import type { Scene } from "./reads.ts";
import { deleteServed, servedTargets } from "./request-cleanup.ts";
import { createRequests } from "./request-creation.ts";
import { occupiedNotices, relievedPatches } from "./request-marks.ts";
import {
  occupantsOf,
  type RequestKind,
  type Requests,
  readRequestKind,
  readRequests,
} from "./request-reads.ts";
import { retryMs } from "./retry.ts";

/** The condition of a Machine that is handed to an external controller. */
export const MARK = "status.conditions[ExternallyRemediated]";

/** A large check runs less often: at least so long between two runs for each of its targets. */
const FLOOR_MS_PER_TARGET = 0.1;
/** Requests that may not be watched are listed again after this time, while one of them matters. */
const POLL_MS = 30 * SECOND;

interface RequestsDecision {
  readonly create: readonly NewObject[];
  readonly patch: readonly GuardedPatch[];
  readonly delete: readonly GuardedDelete[];
  readonly events: readonly Notice[];
  readonly notBeforeMs: number;
  readonly result: Result;
}

/**
 * Keeps one request for each Machine that waits for an external controller, and none for a healthy one. A server
 * that does not answer holds up nothing else.
 */
export async function decideRequests(context: StepContext, scene: Scene): Promise<RequestsDecision> {
  const { read, now } = context;
  // `mhc-machines` asks for Nodes that are missing; its condition repeats the answer.
  const judged = judge(scene, () => false, now);
  const requestKind = await readRequestKind(read, scene.check);
  const known = await readKnown(context, scene, requestKind, judged);
  const requests = "answer" in known ? known.answer : undefined;
  const cleanup = await cleanUp(context, requestKind, judged, requests);
  const made = await make(context, scene, { requestKind, judged, requests });
  const problems = [known, cleanup].flatMap((asked) => ("unreadable" in asked ? [asked.unreadable] : []));
  const unread = problems.length === 0 ? done : requeueAfter(retriesMs(judged, now), "an answer of a server");
  const speaks = speaksFor(scene.check, scene.checks);
  const spokenFor = judged.filter(({ machine }) => speaks(machine));
  const results = [made.result, unread, polling(requestKind, scene, judged, now)];
  return {
    create: made.create,
    patch: made.patch.length > 0 ? made.patch : relievedPatches(spokenFor, requests ?? NONE, now),
    delete: "answer" in cleanup ? cleanup.answer : [],
    events: [...made.events, ...problems.map(blocked), ...occupiedNotices(judged, requests ?? NONE)],
    notBeforeMs: Math.ceil(judged.length * FLOOR_MS_PER_TARGET),
    result: results.reduce(soonest),
  };
}

const NONE: Requests = new Map();

/** Nothing is asked of a server while no target has ever waited for an external controller. */
async function readKnown(
  { read }: StepContext,
  { check }: Scene,
  requestKind: RequestKind,
  judged: readonly Judged[],
): Promise<Answered<Requests>> {
  const isWatched = requestKind.state === "resolved" && requestKind.isWatched;
  if (!isWatched && !judged.some(isMarked)) return { answer: NONE };
  return answered(() => readRequests(read, check, requestKind));
}

function isMarked({ machine }: Judged): boolean {
  return conditionOf(machine.status?.conditions, EXTERNAL_MARK.type) !== undefined;
}

async function cleanUp(
  { read }: StepContext,
  requestKind: RequestKind,
  judged: readonly Judged[],
  requests: Requests | undefined,
): Promise<Answered<readonly GuardedDelete[]>> {
  if (requestKind.state !== "resolved" || requests === undefined) return { answer: [] };
  const kind: Kind = requestKind.kind;
  return answered(() => deleteServed(read, kind, servedTargets(judged, requests)));
}

interface Known {
  readonly requestKind: RequestKind;
  readonly judged: readonly Judged[];
  readonly requests: Requests | undefined;
}

type Made = Pick<RequestsDecision, "create" | "patch" | "events" | "result">;

const NOTHING: Made = { create: [], patch: [], events: [], result: done };

/** Snapshots say whether it is worth to ask; only live reads start anything. */
async function make(
  { read, now }: StepContext,
  { check, checks }: Scene,
  { requestKind, judged, requests }: Known,
): Promise<Made> {
  if (requests === undefined || isDeleting(check)) return NOTHING;
  const bound = await binding.of(read, check);
  const isBound = bound !== undefined;
  const plan = handOver({ check, occupants: occupantsOf(judged, requests), isBound, now });
  if (plan.chosen.length === 0) return { ...NOTHING, result: inTime(plan, now) };
  const live = await readForHandOver(read, check, { requestKind, now });
  if ("unreadable" in live) {
    const again = requeueAfter(retriesMs(judged, now), "an answer of a server");
    return { ...NOTHING, events: [blocked(live.unreadable)], result: again };
  }
  if (live.answer === "changed") return NOTHING;
  const { chosen, againAtMs } = handOver({ check, occupants: live.answer.occupants, isBound, now });
  const asked = await answered(() => permissionFor(bound, { chosen, now }));
  if ("unreadable" in asked) {
    const again = requeueAfter(retriesMs(judged, now), "an answer of a server");
    return { ...NOTHING, events: [blocked(asked.unreadable)], result: again };
  }
  const { allowed, patch, refused } = asked.answer;
  const speaks = speaksFor(check, checks);
  const created = await createRequests(read, { check, machines: allowed, requestKind, speaks, now });
  const results = [inTime({ againAtMs }, now), inTime({ againAtMs: refusedUntilMs(refused) }, now)];
  return {
    ...created,
    patch: [...patch, ...created.patch],
    events: [...created.events, ...refusalNotices(refused)],
    result: results.reduce(soonest, created.result),
  };
}

function inTime({ againAtMs }: Pick<HandOver, "againAtMs">, now: Date): Result {
  return againAtMs === undefined ? done : requeueAfter(againAtMs - now.getTime(), "the hand-over");
}

/** Returns half the age of the youngest verdict that waits. */
function retriesMs(judged: readonly Judged[], now: Date): number {
  return judged
    .filter(isMarked)
    .map((one) => retryMs(one, now))
    .reduce((a, b) => Math.min(a, b), 10 * POLL_MS);
}

/** No event comes from a kind that is not watched, and a request that is on its way may land later. */
function polling(requestKind: RequestKind, { check }: Scene, judged: readonly Judged[], now: Date): Result {
  if (requestKind.state !== "resolved" || requestKind.isWatched) return done;
  const matters = judged.some(
    ({ machine, verdict }) =>
      verdict.is !== "healthy" || (requestLandsUntilMs(check, machine) ?? 0) > now.getTime(),
  );
  return matters ? requeueAfter(POLL_MS, "requests that are not watched") : done;
}

import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { GuardedPatch, Notice, StepContext } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { done, type Result, requeueAfter } from "../../../shared/function/result.ts";
import { binding } from "./binding.ts";
import {
  decideHandOver,
  type HandedOver,
  isNothing,
  type Plan,
  type PlanFacts,
  planHandOver,
  reservesNothing,
} from "./decide-hand-over.ts";
import { type Judged, judge } from "./judge.ts";
import { type Answered, answered, readAbsent } from "./live-reads.ts";
import { statementPatch } from "./machine-writes.ts";
import { blocked, heldNotices, restrictedByPlaces } from "./notices.ts";
import type { Scene } from "./reads.ts";
import { type RequestKind, type Requests, readRequestKind, readRequests } from "./request-reads.ts";
import { retryMs, verdictAgeMs } from "./retry.ts";
import { type Statement, statementsOf } from "./statements.ts";

/** A large check runs less often: at least so long between two runs for each of its targets. */
const FLOOR_MS_PER_TARGET = 0.1;
/**
 * The same up to a second: targets fail, and are patched, one by one, and most changes of a Machine are of conditions
 * that no health check judges.
 * Differs: specified is only the floor above; of 100 targets these spare most of the runs.
 */
const WRITING_FLOOR_MS_PER_TARGET = 0.5;
const IDLE_FLOOR_MS_PER_TARGET = 1;
/** A statement that is older than this was refused before: it holds up nothing. */
const FRESH_MS = 10 * SECOND;

interface MachinesDecision {
  readonly patch: readonly GuardedPatch[];
  readonly events: readonly Notice[];
  readonly notBeforeMs: number;
  readonly result: Result;
}

/**
 * Says on each target whether it is healthy, and hands unhealthy ones over. New statements leave in a run of their own,
 * before any server is asked: one that is slow must not hold them up.
 */
export async function decideMachines({ read, now }: StepContext, scene: Scene): Promise<MachinesDecision> {
  const absent = await readAbsent(read, scene);
  const judged = judge(scene, (name) => "answer" in absent && absent.answer.has(name), now);
  const requestKind = await readRequestKind(read, scene.check);
  const known = await readKnown(read, scene, requestKind, judged);
  const requests = "answer" in known ? known.answer : undefined;
  const facts = {
    scene,
    judged,
    statements: statementsOf(scene.check, judged, requests),
    requestKind,
    requests,
    bound: await binding.of(read, scene.check),
  };
  const plan = planHandOver(facts, now);
  const due = facts.statements.flatMap((statement) => writeOf(statement, now));
  const together = namesGoingTogether(facts, plan);
  const apart = due.filter(({ judged: { machine } }) => !together.has(machine.metadata.name));
  const handed =
    isNothing(plan) || apart.some((write) => isFresh(write, now))
      ? { ...plan, patch: [], touched: together, events: [] }
      : await decideHandOver({ read, now }, facts, plan);
  const sent = due.filter(({ judged: { machine } }) => !handed.touched.has(machine.metadata.name));
  const patch = [...handed.patch, ...sent.map((write) => write.patch)];
  const problems = [absent, known].flatMap((answer) => ("unreadable" in answer ? [answer.unreadable] : []));
  return {
    patch,
    events: [
      ...handed.events,
      ...problems.map(blocked),
      ...restrictedByPlaces(handed.waits, scene.targets),
      ...heldNotices(scene.check, plan.held),
    ],
    notBeforeMs: floorMs(scene.targets.length, patch.length === 0),
    result: nextRun(
      { judged, handed, sent: sent.map((write) => write.judged), isBlocked: problems.length > 0 },
      now,
    ),
  };
}

/** Returns the time that the health check is left alone, of so many targets. */
function floorMs(targets: number, isIdle: boolean): number {
  const each = isIdle ? IDLE_FLOOR_MS_PER_TARGET : WRITING_FLOOR_MS_PER_TARGET;
  return Math.ceil(Math.max(Math.min(SECOND, targets * each), targets * FLOOR_MS_PER_TARGET));
}

const NONE: Requests = new Map();

/** The requests that snapshots know, where an external controller acts and some target needs it. */
async function readKnown(
  read: Reader,
  { check }: Scene,
  requestKind: RequestKind,
  judged: readonly Judged[],
): Promise<Answered<Requests | undefined>> {
  if (check.spec.remediation?.templateRef === undefined) return { answer: undefined };
  if (judged.every(({ verdict }) => verdict.is === "healthy")) return { answer: NONE };
  return answered(() => readRequests(read, check, requestKind));
}

/** One patch that is due. */
interface Write {
  readonly judged: Judged;
  readonly patch: GuardedPatch;
}

function writeOf({ judged, changes }: Statement, now: Date): readonly Write[] {
  return statementPatch(judged.machine, changes, now).map((patch) => ({ judged, patch }));
}

/** Returns the Machines that are handed over without a reservation, as nothing is limited: that patch says why. */
function namesGoingTogether(facts: PlanFacts, { owners }: Plan): ReadonlySet<string> {
  return new Set(reservesNothing(facts) ? owners.map(({ metadata }) => metadata.name) : []);
}

function isFresh({ judged }: Write, now: Date): boolean {
  return (verdictAgeMs(judged, now) ?? FRESH_MS) < FRESH_MS;
}

interface Outlook {
  readonly judged: readonly Judged[];
  readonly handed: HandedOver;
  /** Targets about which something is said: the server may refuse it. */
  readonly sent: readonly Judged[];
  /** Something was asked that is not answered. */
  readonly isBlocked: boolean;
}

/** Returns when time alone brings the health check back; its own writes do so at once. */
function nextRun({ judged, handed, sent, isBlocked }: Outlook, now: Date): Result {
  const inMs = (atMs: number) => atMs - now.getTime();
  const deadlines = judged.flatMap(({ deadlinesMs }) => deadlinesMs.map(inMs));
  const written = judged.filter(({ machine }) => handed.touched.has(machine.metadata.name));
  const retries = [...sent, ...written].map((one) => retryMs(one, now));
  const times = [
    { ms: earliest(deadlines), why: "the next deadline of a target" },
    { ms: handed.againAtMs === undefined ? undefined : inMs(handed.againAtMs), why: "the hand-over" },
    { ms: earliest(retries), why: "writes that may be refused" },
    { ms: isBlocked ? MINUTE : undefined, why: "an answer of a server" },
  ];
  const [first] = times
    .flatMap(({ ms, why }) => (ms === undefined ? [] : [{ ms, why }]))
    .toSorted((a, b) => a.ms - b.ms);
  return first === undefined ? done : requeueAfter(first.ms, first.why);
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

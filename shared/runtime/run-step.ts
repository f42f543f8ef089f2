import type { KubeObject } from "../api/kinds.ts";
import { deadWebhook } from "../function/dead-webhook.ts";
import type { AnyDecision, AnyFunction } from "../function/define-function.ts";
import { TerminalError, WaitingError } from "../function/errors.ts";
import { missingRight } from "../function/missing-right.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import { checkDecision } from "./decide/check-decision.ts";
import { cutOffOutcome, failureOf, redactOutcome } from "./decide/failure.ts";
import { reachOf, withinReach } from "./decide/reach.ts";
import { logRun } from "./log-run.ts";
import type { Clients, Clock, Issuer, Log, Manifests, Store } from "./ports.ts";
import { type Key, type KeyParts, parseKey } from "./queue/key.ts";
import type { Failure, Fence, Lease, Outcome } from "./queue/queue-port.ts";
import { againAfterMs, barrierOf, fencesAfter, StaleRunError } from "./read/freshness.ts";
import { NotListedError } from "./read/listed.ts";
import { createReader } from "./read/reader.ts";
import { type ReadRecorder, recordReads } from "./read/record-reads.ts";
import { type DeletionLimit, HELD_BACK_MS, HeldBackError } from "./write/deletion-limit.ts";
import { PATCH_REFUSED } from "./write/failed-write.ts";
import { standBack } from "./write/foreign-controller.ts";
import { noteRefusal } from "./write/note-refusal.ts";
import { recordWrites, type WriteRecorder } from "./write/record-writes.ts";
import { isFirstOf, type SentEvents, sendEvents } from "./write/send-events.ts";
import { settle, withAnswers } from "./write/settle.ts";
import { type Written, writeDecision } from "./write/write-decision.ts";

export interface RunContext {
  readonly store: Store;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly log: Log;
  readonly sentEvents?: SentEvents | undefined;
  /** Needed by functions of the group `credentials`. */
  readonly issuer?: Issuer | undefined;
  /** Needed by functions that deliver manifests. */
  readonly manifests?: Manifests | undefined;
  /** The limit of deletions; absent where they are not limited. */
  readonly limit?: DeletionLimit | undefined;
}

/** Progress of a run, whether or not it ends well. */
interface Run {
  readonly startedAt: Date;
  /** Fences that the read model is not known to have passed. */
  overdue: readonly Fence[];
  read?: ReadRecorder;
  object?: KubeObject | undefined;
  /** Handed to the step. */
  now?: Date;
  decision?: AnyDecision;
  /** The decision has passed its check, also with what followed from the answers to its evictions. */
  accepted: boolean;
  sender?: WriteRecorder;
  written: Pick<Written, "requests" | "fences" | "error">;
  thrown?: unknown;
}

/** How a run ended, with what it read, decided and sent until then. */
export type EndedRun = Outcome & { readonly record: AttemptRecord };

/**
 * Runs a function once for a leased key: read → step → check → write → record. The worker acknowledges by handing the
 * outcome to the queue. A terminal failure also becomes a Warning Event about the object.
 * Never throws: every end is an Outcome.
 */
export async function runStep(fn: AnyFunction, lease: Lease, given: RunContext): Promise<EndedRun> {
  const context = { ...given, clients: under(lease, given.clients) };
  const run: Run = {
    startedAt: context.clock.now(),
    overdue: lease.fences,
    accepted: false,
    written: { requests: 0, fences: [], error: undefined },
  };
  const recordSoFar = (): AttemptRecord => recordOf(lease, run, context.clock);
  lease.recordFrom?.(recordSoFar);
  const ended = await attempt(fn, lease, context, run).catch((error: unknown) => {
    run.thrown = error;
    return failedWith(error, lease, run.written.requests > 0);
  });
  // Else a step that held up its process would seem to have ended well.
  lease.checkHeld?.();
  const end = lease.signal.aborted
    ? cutOffOutcome(lease.signal)
    : redactOutcome({ ...ended, fences: fencesAfter(lease, run) });
  const outcome = { ...end, record: recordSoFar() };
  await reportFailure(fn, lease, { ...context, ...run, outcome });
  logRun(fn, lease, context, { ...run, requests: run.written.requests, outcome });
  return outcome;
}

/** The same clients; every request names the run, and no write leaves once the lease is over or the claim too old. */
function under(lease: Lease, clients: Clients): Clients {
  const isHeld = (): void => {
    lease.checkHeld?.();
    lease.signal.throwIfAborted();
  };
  const mayGo = (): void => {
    isHeld();
    if (lease.isFresh?.() === false) throw new StaleRunError();
  };
  return {
    of: (cluster, name, sending = {}) =>
      clients.of(cluster, name, {
        ...sending,
        runId: lease.runId,
        mayGo: sending.late === true ? isHeld : mayGo,
      }),
  };
}

type Ending = Outcome extends infer One
  ? One extends Outcome
    ? Omit<One, "fences" | "record">
    : never
  : never;

async function attempt(fn: AnyFunction, lease: Lease, context: RunContext, run: Run): Promise<Ending> {
  const { overdue, causes, waitMs } = await barrierOf(fn, context.store, lease);
  run.overdue = overdue;
  if (waitMs !== undefined) return { type: "retry", afterMs: waitMs };
  const key = requireKey(fn, lease.key);
  run.read = recordReads(createReader({ ...context, function: fn, stale: overdue, causes }));
  run.object = await run.read.get(fn.spec.reconciles, key);
  // A timer, or an event from before, of an object that has changed hands.
  const isElsewhere = run.object?.metadata.isElsewhere === true;
  if (run.object === undefined || isElsewhere) return { type: "ok", requested: false };
  run.now = lease.claimedAt ?? context.clock.now();
  const back = standBack(fn, run.object, run.now);
  if (back !== undefined) await sendEvents([back.notice], eventsOf(fn, lease, context, run.object));
  const waiting = back && ({ afterMs: back.afterMs, waitingFor: back.notice.message } as const);
  if (waiting !== undefined && back?.shown === undefined) return { type: "ok", requested: false, ...waiting };
  run.decision = await fn.step(back?.shown ?? run.object, {
    read: withinReach(run.read, reachOf(fn, run.object)),
    now: run.now,
  });
  checkDecision(fn, run.object, run.decision, run.read);
  run.accepted = true;
  run.sender = recordWrites(context.clients);
  const { object, decision, sender, read } = run;
  const written = await writeDecision(decision, {
    ...context,
    clients: sender,
    function: fn,
    object,
    signal: lease.signal,
    runId: lease.runId,
    settle: (answers) => {
      // The check may refuse it, too: then the letter holds the answers that led to it.
      run.accepted = false;
      run.decision = withAnswers(decision, answers);
      run.decision = settle(decision, answers);
      checkDecision(fn, object, run.decision, read);
      run.accepted = true;
      return run.decision;
    },
  });
  run.written = written;
  const noted = await noteRefusal(fn, object, written, sender);
  if (noted !== undefined) run.written = { ...written, fences: [...written.fences, noted] };
  if (written.error !== undefined) throw written.error;
  const { requests, again } = written;
  const end = { ...concluded(written.decision, requests > 0), ...waiting };
  return again === undefined || end.type !== "ok"
    ? end
    : { ...end, afterMs: again.afterMs, waitingFor: again.why };
}

/** The object of a key. Throws TerminalError `MalformedKey` when the text is not a key of this function. */
export function requireKey(fn: AnyFunction, text: Key): KeyParts {
  const key = parseKey(text);
  if (key !== undefined && key.kind === fn.spec.reconciles.kind) return key;
  throw new TerminalError("MalformedKey", `"${text.slice(0, 120)}" is not a key of ${fn.spec.name}; drop it`);
}

/** Records by reference: a run that fails does not pay for a dead letter that is never written. */
function recordOf({ runId }: Lease, run: Run, clock: Clock): AttemptRecord {
  return {
    runId,
    startedAt: run.startedAt,
    durationMs: clock.now().getTime() - run.startedAt.getTime(),
    clock: run.now,
    reads: run.read?.asked(run.thrown) ?? [],
    // A run that is cut off may still continue for a moment.
    writes: [...(run.sender?.sent ?? [])],
    decision: run.decision,
    thrown: run.thrown,
    accepted: run.accepted,
  };
}

function concluded({ result, notBeforeMs }: AnyDecision, requested: boolean): Ending {
  const common = { type: "ok", requested, notBeforeMs } as const;
  switch (result.type) {
    case "done":
      return common;
    case "wait":
      return { ...common, waitingFor: result.what };
    case "requeue":
      return { ...common, afterMs: result.afterMs, waitingFor: result.why };
    case "failed": {
      const { reason, message } = result;
      return { type: "error", failure: { class: "Terminal", reason, message }, terminal: true, requested };
    }
    default:
      return result satisfies never;
  }
}

function failedWith(error: unknown, lease: Lease, requested: boolean): Ending {
  const afterMs = againAfterMs(error, lease);
  if (afterMs !== undefined) return { type: "retry", afterMs };
  if (error instanceof WaitingError) return { type: "ok", requested, waitingFor: error.what };
  if (error instanceof HeldBackError)
    return { type: "ok", requested, afterMs: HELD_BACK_MS, waitingFor: error.message };
  const failure = failureOf(error);
  if (failure.class === "Waiting") return { type: "ok", requested, waitingFor: failure.message };
  return { type: "error", failure, terminal: failure.class === "Terminal", requested };
}

/** A patch may lose a race against a kubelet, and the one after it, too. */
const REFUSALS_UNTIL_REPORTED = 3;

/**
 * Returns the failure that a person must look after: one that is not retried, repeated refusals, and, once for all keys
 * that need it, a right that is missing or a webhook that is away.
 */
function worthTelling(
  { outcome, thrown, sentEvents, clock }: RunContext & Run & { readonly outcome: Outcome },
  { failures }: Lease,
): Reported | undefined {
  const failure = outcome.type === "error" ? outcome.failure : refusalOf(thrown);
  if (failure === undefined || (outcome.type === "error" && outcome.terminal)) return failure;
  const right = missingRight(failure.message);
  const cause = right === undefined ? deadWebhook(failure.message) : Object.values(right).join(" ");
  if (cause !== undefined) return isFirstOf(cause, sentEvents, clock.now()) ? failure : undefined;
  return failure.reason === PATCH_REFUSED && failures + 1 >= REFUSALS_UNTIL_REPORTED ? failure : undefined;
}

type Reported = Pick<Failure, "reason" | "message">;

/** The run waits for a list that the server refuses to the relay. */
function refusalOf(thrown: unknown): Reported | undefined {
  if (!(thrown instanceof NotListedError) || thrown.refusal === undefined) return undefined;
  return { reason: "Forbidden", message: thrown.message };
}

function eventsOf(fn: AnyFunction, { signal, runId }: Lease, context: RunContext, object: KubeObject) {
  return { ...context, function: fn, object, signal, runId };
}

/** Sends a failure as an Event, unless the decision has sent the same one already. */
async function reportFailure(
  fn: AnyFunction,
  lease: Lease,
  given: RunContext & Run & { readonly outcome: Outcome },
): Promise<void> {
  const { object, decision, ...context } = given;
  if (object === undefined) return;
  const failure = worthTelling(given, lease);
  if (failure === undefined) return;
  const { reason, message } = failure;
  const isSent = decision?.events?.some((event) => event.reason === reason && event.message === message);
  if (isSent === true) return;
  await sendEvents([{ type: "Warning", reason, message }], eventsOf(fn, lease, context, object));
}

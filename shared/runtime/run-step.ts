import type { KubeObject } from "../api/kinds.ts";
import type { AnyDecision, AnyFunction } from "../function/define-function.ts";
import { TerminalError, WaitingError } from "../function/errors.ts";
import { checkDecision } from "./check-decision.ts";
import { PATCH_REFUSED } from "./failed-write.ts";
import { cutOffOutcome, failureOf, redactOutcome } from "./failure.ts";
import { type Key, type KeyParts, parseKey } from "./key.ts";
import type { AttemptRecord } from "./letters/attempt-record.ts";
import { type ReadRecorder, recordReads } from "./letters/record-reads.ts";
import { recordWrites, type WriteRecorder } from "./letters/record-writes.ts";
import { NotListedError } from "./listed.ts";
import { logRun } from "./log-run.ts";
import type { Clients, Clock, Log, Store } from "./ports.ts";
import { type Fence, type Lease, type Outcome, RESTORED } from "./queue-port.ts";
import { createReader } from "./reader.ts";
import { isAtLeast } from "./resource-version.ts";
import { sendEvents, type ToldEvents } from "./send-events.ts";
import { BehindTriggerError } from "./triggers.ts";
import { type Written, writeDecision } from "./write-decision.ts";

export interface RunContext {
  readonly store: Store;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly log: Log;
  readonly told?: ToldEvents | undefined;
}

/** Wait for the snapshot this long, then look again. */
const BARRIER_MS = 100;
/** After so many looks in a row the stale objects are read live (F-05), and a lost race counts as a failure. */
const MAX_AGAIN = 50;
const MAX_LIST_WAIT_MS = 5_000;

/** What a run has got to, whether or not it ends well. */
interface Run {
  readonly startedAt: Date;
  /** Fences that the read model has not been seen to have passed. */
  overdue: readonly Fence[];
  read?: ReadRecorder;
  object?: KubeObject | undefined;
  /** Handed to the step. */
  now?: Date;
  decision?: AnyDecision;
  /** Set once the decision has passed its check. */
  sender?: WriteRecorder;
  written: Written;
  thrown?: unknown;
}

/**
 * Runs a function once for a leased key: read → step → check → write → record. The worker acknowledges by handing the
 * outcome to the queue. A terminal failure is also told to whoever looks at the object, as a Warning Event.
 * Never throws: whatever happens is an Outcome.
 */
export async function runStep(fn: AnyFunction, lease: Lease, given: RunContext): Promise<Outcome> {
  const context = { ...given, clients: under(lease, given.clients) };
  const run: Run = {
    startedAt: context.clock.now(),
    overdue: lease.fences,
    written: { requests: 0, fences: [], error: undefined },
  };
  lease.ifCutOff?.(() => recordOf(lease, run, context.clock));
  const ended = await attempt(fn, lease, context, run).catch((error: unknown) => {
    run.thrown = error;
    if (error instanceof BehindTriggerError) run.overdue = [...run.overdue, ...error.fences];
    return failedWith(error, lease, run.written.requests > 0);
  });
  const fences = fencesAfter(run, lease);
  // Else a step that held up its process would seem to have ended well.
  lease.checkHeld?.();
  const outcome = lease.signal.aborted
    ? { ...cutOffOutcome(lease.signal), record: recordOf(lease, run, context.clock) }
    : redactOutcome(
        ended.type === "error"
          ? { ...ended, fences, record: recordOf(lease, run, context.clock) }
          : { ...ended, fences },
      );
  await announce(fn, lease, { ...context, ...run, outcome });
  logRun(fn, lease, context, { ...run, requests: run.written.requests, outcome });
  return outcome;
}

/** The same clients; every request names the run (F-15), and no write leaves once the lease is over. */
function under(lease: Lease, clients: Clients): Clients {
  const mayGo = (): void => {
    lease.checkHeld?.();
    lease.signal.throwIfAborted();
  };
  return {
    of: (cluster, name, sending) => clients.of(cluster, name, { ...sending, runId: lease.runId, mayGo }),
  };
}

type Ending = Outcome extends infer One ? (One extends Outcome ? Omit<One, "fences"> : never) : never;

async function attempt(fn: AnyFunction, lease: Lease, context: RunContext, run: Run): Promise<Ending> {
  run.overdue = await staleFences(context.store, lease.fences);
  const isHopeless = lease.again >= MAX_AGAIN || isRestored(lease);
  if (run.overdue.length > 0 && !isHopeless) return { type: "again", afterMs: BARRIER_MS };
  const key = demandKey(fn, lease.key);
  const causes = isHopeless ? [] : lease.causes;
  run.read = recordReads(createReader({ ...context, function: fn, stale: run.overdue, causes }));
  run.object = await run.read.get(fn.spec.reconciles, key);
  if (run.object === undefined) return { type: "ok", requested: false };
  run.now = context.clock.now();
  run.decision = await fn.step(run.object, { read: run.read, now: run.now });
  checkDecision(fn, run.decision, run.read);
  run.sender = recordWrites(context.clients);
  const { object, decision, sender } = run;
  run.written = await writeDecision(decision, {
    ...context,
    clients: sender,
    function: fn,
    object,
    signal: lease.signal,
    runId: lease.runId,
  });
  if (run.written.error !== undefined) throw run.written.error;
  return concluded(decision, run.written.requests > 0);
}

/** The object of a key. Throws TerminalError `MalformedKey` when the text is no key of this function. */
export function demandKey(fn: AnyFunction, text: Key): KeyParts {
  const key = parseKey(text);
  if (key !== undefined && key.kind === fn.spec.reconciles.kind) return key;
  throw new TerminalError("MalformedKey", `"${text.slice(0, 120)}" is no key of ${fn.spec.name}; drop it`);
}

/** By reference: a run that fails does not pay for a dead letter that is never written. */
function recordOf({ runId }: Lease, run: Run, clock: Clock): AttemptRecord {
  return {
    runId,
    startedAt: run.startedAt,
    durationMs: clock.now().getTime() - run.startedAt.getTime(),
    clock: run.now,
    reads: run.read?.asked(run.thrown) ?? [],
    // A run that is cut off may still go on for a moment.
    writes: [...(run.sender?.sent ?? [])],
    decision: run.decision,
    thrown: run.thrown,
    accepted: run.sender !== undefined,
  };
}

/**
 * The fences that the read model has not passed yet. An object that is gone is not stale. Neither is one whose kind
 * the read model does not hold (Secrets, for instance): no snapshot of it can be read.
 */
async function staleFences(store: Store, fences: readonly Fence[]): Promise<readonly Fence[]> {
  const checked = await Promise.all(
    fences.map(async (fence) => {
      const type = { cluster: fence.cluster, group: fence.group, kind: fence.kind };
      const stored = (await store.get(type, fence))?.metadata.resourceVersion;
      const known = stored ?? (await store.progress(type)).resourceVersion;
      if (known === undefined) return [];
      const passed =
        isAtLeast(known, fence.resourceVersion) && !(fence.newerThan && known === fence.resourceVersion);
      return passed ? [] : [fence];
    }),
  );
  return checked.flat();
}

/**
 * What the next run must not go back behind: the versions of this run's writes, else what it read live in place of a
 * snapshot that lags behind (F-05), else the fence as it was. A kind that was listed live counts as a whole: what was
 * seen of objects without a fence must not be older the next time either.
 */
function fencesAfter({ overdue, read, written }: Run, lease: Lease): readonly Fence[] {
  const listed = isRestored(lease) ? [] : (read?.listedInstead() ?? []);
  const kept = overdue
    .filter((fence) => !written.fences.some((newer) => isSameObject(fence, newer)))
    .filter((fence) => !listed.some((newer) => isSameKind(fence, newer)))
    .flatMap((fence): readonly Fence[] => {
      if (read === undefined) return [fence];
      const resourceVersion = read.liveVersion(fence.cluster, fence, fence);
      if (resourceVersion !== undefined) return [{ ...fence, resourceVersion, newerThan: undefined }];
      // Not read, or gone: until the read model has heard of its end, it may still show what was before.
      return isRestored(lease) ? [] : [fence];
    });
  return [...kept, ...listed, ...written.fences];
}

/** What the fences tell of has happened on another server, or never (KR-12). */
function isRestored({ causes }: Lease): boolean {
  return causes.some(({ what }) => what === RESTORED);
}

function isSameObject(a: Fence, b: Fence): boolean {
  return isSameKind(a, b) && a.namespace === b.namespace && a.name === b.name;
}

function isSameKind(a: Fence, b: Fence): boolean {
  return a.cluster === b.cluster && a.group === b.group && a.kind === b.kind;
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
  if (error instanceof NotListedError) {
    return { type: "again", afterMs: Math.min(MAX_LIST_WAIT_MS, BARRIER_MS * 2 ** lease.again) };
  }
  if (error instanceof BehindTriggerError) return { type: "again", afterMs: BARRIER_MS };
  if (error instanceof WaitingError) return { type: "ok", requested, waitingFor: error.what };
  const failure = failureOf(error);
  if (failure.class === "Waiting") return { type: "ok", requested, waitingFor: failure.message };
  if (failure.class === "Conflict" && lease.again < MAX_AGAIN) return { type: "again", afterMs: BARRIER_MS };
  return { type: "error", failure, terminal: failure.class === "Terminal", requested };
}

/** A patch may lose a race against a kubelet, and the one after it, too. */
const REFUSALS_UNTIL_TOLD = 3;

/** What a person has to look after: what is not tried again, and what is refused again and again. */
function isWorthTelling(
  outcome: Outcome,
  { failures }: Lease,
): outcome is Outcome & { readonly type: "error" } {
  if (outcome.type !== "error") return false;
  if (outcome.terminal) return true;
  return outcome.failure.reason === PATCH_REFUSED && failures + 1 >= REFUSALS_UNTIL_TOLD;
}

/** A failure as an Event, unless the decision has sent the same one already. */
async function announce(
  fn: AnyFunction,
  lease: Lease,
  { outcome, object, decision, ...context }: RunContext & Run & { readonly outcome: Outcome },
): Promise<void> {
  if (!isWorthTelling(outcome, lease) || object === undefined) return;
  const { signal, runId } = lease;
  const { reason, message } = outcome.failure;
  const told = decision?.events?.some((event) => event.reason === reason && event.message === message);
  if (told === true) return;
  await sendEvents([{ type: "Warning", reason, message }], {
    ...context,
    function: fn,
    object,
    signal,
    runId,
  });
}

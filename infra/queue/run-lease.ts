import { MINUTE, SECOND } from "../../shared/function/backoff.ts";
import type { AttemptRecord } from "../../shared/runtime/attempt-record.ts";
import { CutOffError, failureOf, redactOutcome } from "../../shared/runtime/decide/failure.ts";
import type { Clock, Random } from "../../shared/runtime/ports.ts";
import type { Failure, Lease, Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { fencesOfCutOff } from "../../shared/runtime/read/freshness.ts";
import { systemRandom } from "../platform/random.ts";
import { type Claim, LEASE_EXPIRED } from "./claim.ts";

/** Times of leases, for tests and for platforms with their own limits. */
export interface LeaseTiming {
  readonly leaseMs: number;
  readonly renewMs: number;
  /** A longer run is aborted and counts as failed. */
  readonly runTimeoutMs: number;
  /** How long a worker that stops lets its runs finish. */
  readonly drainMs: number;
}

export const LEASE_TIMING: LeaseTiming = Object.freeze({
  leaseMs: 30 * SECOND,
  renewMs: 10 * SECOND,
  runTimeoutMs: MINUTE,
  drainMs: 25 * SECOND,
});

/** A run that has lost its lease ends with the failure that the ledger counts; its finish may be fenced. */
export type RunEnd = { readonly type: "finished"; readonly outcome: Outcome } | { readonly type: "stopped" };

export interface RunTerms {
  readonly clock: Clock;
  readonly timing: LeaseTiming;
  /** The random numbers; default: those of this machine. */
  readonly random?: Random | undefined;
  readonly run: (lease: Lease) => Promise<Outcome>;
  /** False = fenced. Throws while the ledger cannot be reached: retried until the lease expires. */
  readonly renew: () => Promise<boolean>;
  /** Whether the claim is young enough for a write. */
  readonly isFresh?: (() => boolean) | undefined;
  /** Aborts when the worker has waited long enough. */
  readonly stop: AbortSignal;
}

/**
 * Runs one claimed key and renews its lease. Ends with the run, or earlier with the lease, the time limit or the
 * worker; then the signal of the run aborts and its later result is ignored. Never throws.
 */
export async function runLease(claim: Claim, terms: RunTerms): Promise<RunEnd> {
  const { clock, timing, random = systemRandom, run, renew, stop } = terms;
  const ended = Promise.withResolvers<RunEnd>();
  const controller = new AbortController();
  let recordSoFar = (): AttemptRecord | undefined => undefined;
  const cutOff = (failure: Failure, why: string): void => {
    const record = recordSoFar();
    const fences = fencesOfCutOff(claim, record);
    ended.resolve({ type: "finished", outcome: { ...failedWith(failure), record, fences } });
    controller.abort(new CutOffError(why, record));
  };
  const expire = (): void => cutOff(LEASE_EXPIRED, "the lease expired");
  const fail = (thrown: unknown): void => cutOff(failureOf(thrown), "code that the run started has thrown");
  const onStop = (): void => {
    ended.resolve({ type: "stopped" });
    controller.abort(new CutOffError("the worker stops", recordSoFar()));
  };

  let over: boolean = false;
  const leaseEnd = (): number => clock.now().getTime() + timing.leaseMs;
  let heldUntil = leaseEnd();
  const checkHeld = (): void => {
    if (clock.now().getTime() >= heldUntil) expire();
  };
  let cancelExpiry = clock.after(timing.leaseMs, expire);
  const keep = async (): Promise<void> => {
    // Counted from before the request, so that the run never relies on a lease longer than the ledger does.
    const cancelNext = clock.after(timing.leaseMs, expire);
    const until = leaseEnd();
    const held = await renew().catch(() => undefined);
    if (held === false) cutOff(LEASE_EXPIRED, "the lease was lost");
    if (held === true && !over) {
      cancelExpiry();
      cancelExpiry = cancelNext;
      heldUntil = until;
    } else {
      cancelNext();
    }
    if (!over) cancelRenewal = clock.after(timing.renewMs, () => void keep());
  };
  let cancelRenewal = clock.after(timing.renewMs, () => void keep());
  const cancelTimeout = clock.after(timing.runTimeoutMs, () => {
    cutOff(timedOut(timing.runTimeoutMs), "the run takes too long");
  });
  stop.addEventListener("abort", onStop);
  if (stop.aborted) onStop();

  const { key, failures, retries, causes, fences, readyMs } = claim;
  const claimedAt = new Date(claim.claimedAtMs);
  const { signal } = controller;
  const runId = random.id(8);
  const recordFrom = (soFar: () => AttemptRecord): void => {
    recordSoFar = soFar;
  };
  const held = { signal, checkHeld, isFresh: terms.isFresh, fail, recordFrom };
  const lease: Lease = { key, runId, failures, retries, causes, fences, readyMs, claimedAt, ...held };
  (async () => run(lease))().then(
    (outcome) => {
      // A step that blocked its process returns before any timer could report the end of the lease.
      checkHeld();
      ended.resolve({ type: "finished", outcome: redactOutcome(outcome) });
    },
    (thrown: unknown) => ended.resolve({ type: "finished", outcome: failedWith(runnerFailed(thrown)) }),
  );
  const end = await ended.promise;
  over = true;
  for (const cancel of [cancelExpiry, cancelRenewal, cancelTimeout]) cancel();
  stop.removeEventListener("abort", onStop);
  return end;
}

/** Returns the end of a run without an outcome: it may have sent requests, so it arms the floor. */
function failedWith(failure: Failure): Outcome & { readonly type: "error" } {
  return { type: "error", failure, terminal: false, requested: true };
}

function timedOut(limitMs: number): Failure {
  return {
    class: "Transient",
    reason: "RunTimeout",
    message: `the run took longer than ${limitMs / SECOND} s`,
  };
}

/** Returns the failure of the runner itself: it translates errors of a step, so any other error is its own defect. */
function runnerFailed(thrown: unknown): Failure {
  return { ...failureOf(thrown), class: "Transient", reason: "RunnerFailed" };
}

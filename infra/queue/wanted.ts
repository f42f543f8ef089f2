import { type QueueSettings, SECOND } from "../../shared/function/backoff.ts";
import type { EndedRuns, QueueDepth, TenantDepth } from "../../shared/runtime/queue/queue-port.ts";

/** Where a function stands, and how many keys one worker runs of it. */
export interface Load extends Pick<QueueSettings, "concurrency" | "maxRunningPerTenant"> {
  readonly depth: QueueDepth;
}

/** Time in which the ready keys of a priority must be drained. */
const DRAIN_MS = { live: 5 * SECOND, resync: 300 * SECOND };
/** The busy share of the slots of a worker; the others are for keys that come meanwhile. */
const BUSY_SHARE = 0.7;
/** A worker is there before a waiting key becomes due. */
const AHEAD_MS = 10 * SECOND;
/** The time of a run, while none has ended in the last minute. */
const UNKNOWN_RUN_MS = 100;

/**
 * Returns how many workers a group of functions needs: a number of at least 0, not rounded. It is the largest of its
 * functions, since each worker of a group serves all of them. A signal for autoscalers: it follows from the time that the
 * ready keys take, not from their number.
 */
export function wanted(functions: readonly Load[]): number {
  return Math.max(0, ...functions.map(workersFor));
}

function workersFor({ depth, concurrency, maxRunningPerTenant = Infinity }: Load): number {
  if (depth.paused === true || depth.pausedInBullmq === true) return 0;
  const runMs = meanRunMs(depth.lastMinute);
  const busy = Object.values(depth.tenants ?? { all: depth }).map((tenant) =>
    Math.min(maxRunningPerTenant, slotsFor(tenant, runMs)),
  );
  const workers = busy.reduce((sum, slots) => sum + slots, 0) / (BUSY_SHARE * concurrency);
  const isDueSoon = depth.nextDueMs !== undefined && depth.nextDueMs <= AHEAD_MS;
  // One worker makes the single claim per second that the breaker allows.
  return Math.max(isDueSoon ? 1 : 0, depth.breakerOpen === true ? Math.min(1, workers) : workers);
}

/** Returns how many keys of a tenant must run at a time to be drained in time. */
function slotsFor({ running, ready, readyResync = 0 }: TenantDepth, runMs: number): number {
  const live = ready - readyResync;
  return running + (live * runMs) / DRAIN_MS.live + (readyResync * runMs) / DRAIN_MS.resync;
}

/**
 * Returns the mean duration of a run, at least 1 ms: where no worker is left, a key whose function takes no time must start
 * one. It is the runs in progress on average ÷ runs per second, both of the last minute, which is
 * the time that the runs took ÷ their number.
 */
function meanRunMs(lastMinute: EndedRuns | undefined): number {
  return lastMinute === undefined ? UNKNOWN_RUN_MS : Math.max(1, lastMinute.busyMs / lastMinute.runs);
}

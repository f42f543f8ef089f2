import { isNewDeath, type NoteFailure } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { COUNTED, type Counted, type NoteCount } from "../../../shared/runtime/queue/queue-port.ts";
import type { ResyncCause } from "../../relay/resync.ts";
import { LABEL_VALUES, RESYNC_CAUSES } from "./metric-labels.ts";
import type { Metrics } from "./metrics.ts";

/** Called by a queue and a relay with their counts. */
export interface LedgerMeter {
  readonly noteCount: NoteCount;
  readonly noteFailure: NoteFailure;
  readonly noteResync: (functionName: string, cause: ResyncCause) => void;
  /** A count without a name: its function is not known. */
  readonly noteStrayError: (functionName?: string) => void;
  /** Notes a write that the limit of deletions has held back. */
  readonly noteHeldBack: (functionName: string) => void;
}

/** Counters with no label but the function. */
const OWN_COUNTERS = {
  coalesced: "capstan_queue_coalesced_total",
  stale: "capstan_queue_stale_tokens_total",
  resent: "capstan_queue_resent_tokens_total",
  expired: "capstan_queue_lease_expired_total",
  fenced: "capstan_queue_fenced_total",
  slow: "capstan_queue_slow_attempts_total",
  throttled: "capstan_queue_throttled_total",
} as const satisfies { readonly [counted in Counted]?: string };

/**
 * Counts the ledger's reports in the process that made the call. Starts at 0, so that the first report is an increase.
 */
export function meterLedger(metrics: Metrics, functions: readonly string[]): LedgerMeter {
  const noteCount: NoteCount = (name, counted, times) => {
    if (counted === "revivedLive") {
      metrics.add("capstan_queue_revived_total", { function: name, class: "live" }, times);
    } else {
      metrics.add(OWN_COUNTERS[counted], { function: name }, times);
    }
  };
  const countDeath = (name: string, reason: string, times: number): void =>
    metrics.add("capstan_queue_dead_total", { function: name, reason }, times);
  const countResync = (name: string, cause: ResyncCause, times: number): void =>
    metrics.add("capstan_queue_resync_total", { function: name, cause }, times);
  const countStrays = (name: string | undefined, times: number): void =>
    metrics.add("capstan_worker_stray_errors_total", { function: name ?? "other" }, times);
  const countHeldBack = (name: string, times: number): void =>
    metrics.add("capstan_deletions_held_back_total", { function: name }, times);
  countStrays(undefined, 0);
  for (const name of functions) {
    countStrays(name, 0);
    countHeldBack(name, 0);
    for (const counted of COUNTED) noteCount(name, counted, 0);
    for (const reason of LABEL_VALUES.reason) countDeath(name, reason, 0);
    for (const cause of RESYNC_CAUSES) countResync(name, cause, 0);
  }
  return {
    noteCount,
    noteFailure: async (run) => {
      if (run.death !== undefined && isNewDeath(run)) countDeath(run.function, run.death.reason, 1);
    },
    noteResync: (name, cause) => countResync(name, cause, 1),
    noteStrayError: (name) => countStrays(name, 1),
    noteHeldBack: (name) => countHeldBack(name, 1),
  };
}

import type { Clock } from "../../../shared/runtime/ports.ts";
import { rest } from "../../platform/rest.ts";
import { createTokenBucket } from "../../platform/token-bucket.ts";

export interface Spent {
  readonly bytes?: number;
  readonly events?: number;
}

/** Bounds how much one server may send (KR-20). Unread bytes wait in its own socket buffers, not in this process. */
export interface Budget {
  /** Counts what was received; resolves when more may be read, or when `signal` aborts. */
  spend(spent: Spent, signal: AbortSignal): Promise<void>;
}

export interface BudgetLimits {
  /** The bytes per second; default 2 MB/s, and 64 MB at once. */
  readonly bytesPerSecond?: number;
  readonly burstBytes?: number;
  /** The events per second; default 1,000/s, and 32,000 at once: as many as the bytes allow of small Nodes. */
  readonly eventsPerSecond?: number;
  readonly burstEvents?: number;
}

const MB = 1_000_000;
/** The cost of a chunk beside its bytes: a server that sends bytes one by one takes time, not space. */
const CHUNK_BYTES = 200;

/** Creates the budget of one server. Idle time refills it, up to the burst. */
export function createBudget(clock: Clock, limits: BudgetLimits = {}): Budget {
  const { bytesPerSecond = 2 * MB, burstBytes = 64 * MB } = limits;
  const { eventsPerSecond = 1_000, burstEvents = 32_000 } = limits;
  const ofBytes = createTokenBucket(clock, { perSecond: bytesPerSecond, burst: burstBytes });
  const ofEvents = createTokenBucket(clock, { perSecond: eventsPerSecond, burst: burstEvents });
  return {
    async spend({ bytes = 0, events = 0 }, signal) {
      const debtMs = Math.max(ofBytes.take(bytes === 0 ? 0 : bytes + CHUNK_BYTES), ofEvents.take(events));
      if (debtMs > 0) await rest(debtMs, clock, signal);
    },
  };
}

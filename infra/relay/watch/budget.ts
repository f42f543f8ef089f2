import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { rest } from "../retry.ts";

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
  /** Default 2 MB/s, and 64 MB at once. */
  readonly bytesPerSecond?: number;
  readonly burstBytes?: number;
  /** Default 1,000/s, and 32,000 at once: as many as the bytes allow of small Nodes. */
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
  const ofBytes = createAccount(clock, bytesPerSecond, burstBytes);
  const ofEvents = createAccount(clock, eventsPerSecond, burstEvents);
  return {
    async spend({ bytes = 0, events = 0 }, signal) {
      const debtMs = Math.max(ofBytes.spend(bytes === 0 ? 0 : bytes + CHUNK_BYTES), ofEvents.spend(events));
      if (debtMs > 0) await rest(debtMs, clock, signal);
    },
  };
}

function createAccount(clock: Clock, perSecond: number, burst: number) {
  let left = burst;
  let at = clock.now().getTime();
  return {
    /** Spends an amount. Returns how long until the account is no longer overdrawn, in ms. */
    spend(amount: number): number {
      const now = clock.now().getTime();
      // A clock that steps back removes nothing.
      left = Math.min(burst, left + (Math.max(0, now - at) * perSecond) / SECOND) - amount;
      at = now;
      return left >= 0 ? 0 : (-left * SECOND) / perSecond;
    },
  };
}

import { backoffMs, SECOND } from "../../../shared/function/backoff.ts";
import type { Death } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Counted, Failure } from "../../../shared/runtime/queue/queue-port.ts";
import { deathReason, LEASE_EXPIRED } from "../claim.ts";
import type { LedgerLimits } from "../limits.ts";
import type { Entry, LedgerEntries } from "./ledger-entries.ts";
import type { LedgerPlaces } from "./ledger-places.ts";
import { mostUrgent } from "./wish.ts";

/** A failure that raised the count of a key: of a run, or an expired lease. A death may be reported again. */
export interface CountedFailure {
  readonly key: Key;
  /** Owner of the lease. */
  readonly owner: string | undefined;
  /** When the key was claimed. */
  readonly startedAt: Date | undefined;
  readonly failure: Failure;
  readonly failures: number;
  readonly again: number;
  /** Set when the key dies of the failure: `bury` it when its letter exists. */
  readonly death: Death | undefined;
}

export interface FailedEnd {
  readonly failure: Failure;
  readonly terminal: boolean;
}

interface DeathOptions {
  readonly random: () => number;
  readonly onFailure: (failed: CountedFailure) => void;
  readonly onCount: (counted: Counted) => void;
  readonly limits: LedgerLimits;
}

/**
 * Decides after a failure between another attempt and death, and tries dead keys again. Part of the ledger, whose table
 * (ledger.ts) says when; `lua/outcome.lua`, `lua/bury.lua` and `lua/tick.lua` do the same on Redis.
 */
export class LedgerDeaths {
  readonly #entries: LedgerEntries;
  readonly #places: LedgerPlaces;
  readonly #options: DeathOptions;
  /** Dead keys that were forgotten because there were too many. */
  evicted = 0;
  /** Keys in the slow lane; those that have left it are removed at the next look. */
  readonly #slow = new Set<Key>();
  #nextSlowAt = 0;

  constructor(entries: LedgerEntries, places: LedgerPlaces, options: DeathOptions) {
    this.#entries = entries;
    this.#places = places;
    this.#options = options;
  }

  fail(now: number, entry: Entry, { failure, terminal }: FailedEnd): void {
    const { pending, lease, again } = entry;
    const { random, onCount, onFailure, limits } = this.#options;
    if (failure.reason === LEASE_EXPIRED.reason) onCount("expired");
    entry.failures += 1;
    entry.failure = failure;
    const failed = { key: entry.key, ...ranBy(lease), failure, failures: entry.failures, again };
    if (pending !== undefined) entry.class = mostUrgent(entry.class, pending.class);
    const isSlow = entry.deadSince !== undefined;
    if (isSlow && pending?.class === "live") {
      this.#places.revive(now, entry, pending.due);
    } else if (!isSlow && !terminal && entry.failures < entry.attempts) {
      const retryAt = now + Math.max(lease?.minIntervalMs ?? 0, backoffMs(entry.failures, random()));
      this.#places.place(now, entry, Math.min(pending?.due ?? retryAt, retryAt));
    } else if (isSlow || pending === undefined) {
      entry.retryAt = now + limits.slowMinMs + Math.floor(random() * (limits.slowMaxMs - limits.slowMinMs));
      this.condemn(now, entry);
      return;
    } else {
      entry.failures = entry.attempts - 1;
      this.#places.place(now, entry, pending.due);
    }
    entry.again = 0;
    onFailure({ ...failed, death: undefined });
  }

  /** Makes a key dying, or reports its death again. */
  condemn(now: number, entry: Entry): void {
    const { key, lease, failure = LEASE_EXPIRED, failures, again, class: wanted } = entry;
    const { onFailure, limits } = this.#options;
    const since = entry.dyingSince ?? entry.deadSince ?? now;
    entry.dyingSince = since;
    entry.again = 0;
    this.#entries.wake(entry, now + limits.letterMs);
    const death = { reason: deathReason(failure), class: wanted, since: new Date(since) };
    onFailure({ key, ...ranBy(lease), failure, failures, again, death });
  }

  bury(now: number, entry: Entry, since: Date): void {
    const { pending, dyingSince, failure = LEASE_EXPIRED } = entry;
    if (dyingSince === undefined || dyingSince !== since.getTime()) return;
    entry.deadSince = dyingSince;
    entry.dyingSince = undefined;
    entry.lease = undefined;
    entry.pending = undefined;
    if (pending?.class === "live") {
      this.#places.revive(now, entry, pending.due);
    } else if (deathReason(failure) === "Malformed") {
      // No run can ever succeed with it: the letter is all that stays.
      this.#entries.delete(entry);
    } else {
      this.#entries.move(entry, "dead", entry.retryAt);
      this.#evict();
    }
  }

  /** Tries dead keys again that are due. */
  retry(now: number): void {
    for (let at = this.nextRetryAt(); at !== undefined && at <= now; at = this.nextRetryAt()) {
      const entry = this.#entries.firstDead();
      if (entry === undefined) return;
      this.#slow.add(entry.key);
      this.#nextSlowAt = now + SECOND / this.#options.limits.slowPerSecond;
      this.#options.onCount("slow");
      entry.class = "resync";
      this.#places.place(now, entry, now);
    }
  }

  /** Returns when `retry` has work; undefined: not before an attempt ends. */
  nextRetryAt(): number | undefined {
    const { wakeAt } = this.#entries.firstDead() ?? {};
    if (wakeAt === undefined) return undefined;
    for (const key of this.#slow) if (!isTriedAgain(this.#entries.get(key))) this.#slow.delete(key);
    return this.#slow.size < this.#options.limits.slowAtOnce ? Math.max(wakeAt, this.#nextSlowAt) : undefined;
  }

  #evict(): void {
    if (this.#entries.counts.dead <= this.#options.limits.maxDead) return;
    const entry = this.#entries.firstDead();
    if (entry === undefined) return;
    this.#entries.delete(entry);
    this.evicted += 1;
  }
}

/** While a key is tried again it is not dead, but its death is not over. */
function isTriedAgain(entry: Entry | undefined): boolean {
  if (entry === undefined || entry.state === "dead") return false;
  return entry.deadSince !== undefined && entry.dyingSince === undefined;
}

function ranBy(lease: Entry["lease"]): Pick<CountedFailure, "owner" | "startedAt"> {
  return { owner: lease?.owner, startedAt: lease && new Date(lease.startedAt) };
}

import { backoffMs } from "../../../shared/function/backoff.ts";
import type { Key } from "../../../shared/runtime/key.ts";
import type { Death } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Counted, Failure } from "../../../shared/runtime/queue-port.ts";
import { deathReason, LEASE_EXPIRED } from "../claim.ts";
import type { LedgerLimits } from "../limits.ts";
import { deadKeys } from "./ledger-depth.ts";
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
 * Decides after a failure between another attempt and death. Part of the ledger, whose table (ledger.ts) says when;
 * `lua/outcome.lua` and `lua/bury.lua` do the same on Redis.
 */
export class LedgerDeaths {
  readonly #entries: LedgerEntries;
  readonly #places: LedgerPlaces;
  readonly #options: DeathOptions;
  /** Dead keys that were forgotten because there were too many. */
  evicted = 0;

  constructor(entries: LedgerEntries, places: LedgerPlaces, options: DeathOptions) {
    this.#entries = entries;
    this.#places = places;
    this.#options = options;
  }

  fail(now: number, entry: Entry, { failure, terminal }: FailedEnd): void {
    const { pending, lease, again } = entry;
    const { random, onCount, onFailure } = this.#options;
    if (failure.reason === LEASE_EXPIRED.reason) onCount("expired");
    entry.failures += 1;
    entry.failure = failure;
    const failed = { key: entry.key, ...ranBy(lease), failure, failures: entry.failures, again };
    if (pending !== undefined) entry.class = mostUrgent(entry.class, pending.class);
    if (!terminal && entry.failures < entry.attempts) {
      const retryAt = now + Math.max(lease?.minIntervalMs ?? 0, backoffMs(entry.failures, random()));
      this.#places.place(now, entry, Math.min(pending?.due ?? retryAt, retryAt));
    } else if (pending === undefined) {
      this.condemn(now, entry);
      return;
    } else if (entry.deadSince !== undefined && pending.class === "live") {
      this.#places.revive(now, entry, pending);
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
    const { pending, dyingSince } = entry;
    if (dyingSince === undefined || dyingSince !== since.getTime()) return;
    entry.deadSince = dyingSince;
    entry.dyingSince = undefined;
    entry.lease = undefined;
    if (pending !== undefined) {
      this.#places.revive(now, entry, pending);
    } else {
      this.#entries.move(entry, "dead", dyingSince + this.#options.limits.deadKeptMs);
      this.#evict();
    }
  }

  #evict(): void {
    if (this.#entries.counts.dead <= this.#options.limits.maxDead) return;
    const [oldest] = deadKeys(this.#entries.all());
    const entry = oldest && this.#entries.get(oldest.key);
    if (entry === undefined) return;
    this.#entries.delete(entry);
    this.evicted += 1;
  }
}

function ranBy(lease: Entry["lease"]): Pick<CountedFailure, "owner" | "startedAt"> {
  return { owner: lease?.owner, startedAt: lease && new Date(lease.startedAt) };
}

import { backoffMs } from "../../shared/runtime/backoff.ts";
import type { Key } from "../../shared/runtime/key.ts";
import type {
  Cause,
  DeadKey,
  Failure,
  Fence,
  Outcome,
  QueueDepth,
  QueueEntry,
} from "../../shared/runtime/ports.ts";
import type { Claim, ClaimTerms } from "./claim.ts";
import { FENCES_KEPT_MS, floorMs, LEASE_EXPIRED, MAX_CAUSES } from "./claim.ts";
import { ExpiringMap } from "./expiring-map.ts";
import type { Class, Entry } from "./ledger-entries.ts";
import { LedgerEntries } from "./ledger-entries.ts";

/*
 * The ledger of one function: per key one of five states (queue.md 3). `lua/` holds the same table for Redis, where
 * ready keys also have a token on its way to a worker; here a claim takes the first ready key itself.
 *
 * | state   | entered by                                   | left by                                              |
 * |---------|----------------------------------------------|------------------------------------------------------|
 * | idle    | finish ok without a next due (no entry kept) | enqueue                                              |
 * | waiting | place, due in the future                     | due reached (tick) → ready; sooner event → place     |
 * | ready   | place, due now                               | claim → running                                      |
 * | running | claim                                        | finish, release, lease expiry (tick) → place or dead |
 * | dead    | failures = attempts, or terminal, no event   | event → place (live: failures 0; resync: one probe)  |
 *
 * place(due) = due is at least the floor, then waiting or ready. The earliest due and the more urgent class of
 * two wishes win. An event while running is kept as pending and decides at the end of the run: exactly one more
 * . An event pending at death keeps the key alive with one attempt left. A live event during the probe
 * of a dead key revives it as it would have revived the dead key.
 *
 * Forbidden: two leases of one key; a finish, renew or release by anybody but the owner of the lease (answer: fenced,
 * nothing changes); a claim before the floor; a dead key that runs without an event. The failure count changes only
 * by finish, expiry, success and revival; `again` and release touch neither count nor floor.
 *
 * No timers and no clock: every call brings `now` (ms, one clock), and `nextAt` tells when `tick` has work.
 */
export class Ledger {
  readonly #random: () => number;
  readonly #entries = new LedgerEntries();
  readonly #floors = new ExpiringMap<number>();
  readonly #fences = new ExpiringMap<readonly Fence[]>();

  /** `random` in [0, 1) for the jitter of backoffs. */
  constructor(random: () => number) {
    this.#random = random;
  }

  enqueue(now: number, { key, delayMs = 0, class: wanted, cause }: QueueEntry): void {
    const due = now + Math.max(0, delayMs);
    const known = this.#entries.get(key);
    const entry = known ?? this.#entries.create(key, wanted);
    if (cause !== undefined) entry.causes = newest(cause, entry.causes);
    if (known === undefined) this.#place(now, entry, due);
    else if (entry.state === "running") entry.pending = merged(entry.pending, { due, class: wanted });
    else if (entry.state === "dead") this.#revive(now, entry, { due, class: wanted });
    else this.#merge(now, entry, { due, class: wanted });
  }

  /** Leases the first ready key: live before resync, each class in the order of arrival. */
  claim(now: number, terms: ClaimTerms): Claim | undefined {
    const entry = this.#entries.shiftReady();
    if (entry === undefined) return undefined;
    const { key, failures, again, causes } = entry;
    this.#entries.move(entry, "running", now + terms.leaseMs);
    entry.lease = { ...terms, startedAt: now };
    entry.attempts = terms.attempts;
    entry.causes = [];
    return { key, owner: terms.owner, failures, again, causes, fences: this.#fences.get(now, key) ?? [] };
  }

  /** False = fenced. */
  finish(now: number, { key, owner }: Pick<Claim, "key" | "owner">, outcome: Outcome): boolean {
    const entry = this.#held(key, owner);
    if (entry?.lease === undefined) return false;
    this.#keepFences(now, key, outcome.fences);
    const floor = entry.lease.startedAt + floorMs(outcome, entry.lease.minIntervalMs);
    if (floor > now) this.#floors.set(now, key, { value: floor, until: floor });
    if (outcome.type === "error") {
      this.#fail(now, entry, outcome);
      return true;
    }
    entry.again = outcome.type === "again" ? entry.again + 1 : 0;
    if (outcome.type === "ok") {
      entry.failures = 0;
      entry.deadSince = undefined;
    }
    this.#next(now, entry, outcome.afterMs === undefined ? undefined : now + Math.max(0, outcome.afterMs));
    return true;
  }

  /** False = fenced. */
  renew(now: number, { key, owner }: Pick<Claim, "key" | "owner">, leaseMs: number): boolean {
    const entry = this.#held(key, owner);
    if (entry !== undefined) this.#entries.wake(entry, now + leaseMs);
    return entry !== undefined;
  }

  /** Gives a key back uncounted. False = fenced. */
  release(now: number, { key, owner }: Pick<Claim, "key" | "owner">): boolean {
    const entry = this.#held(key, owner);
    if (entry !== undefined) this.#next(now, entry, now);
    return entry !== undefined;
  }

  /** Makes due keys ready and takes expired leases away. */
  tick(now: number): void {
    for (let entry = this.#entries.shiftDue(now); entry !== undefined; entry = this.#entries.shiftDue(now)) {
      if (entry.state === "running") this.#fail(now, entry, { failure: LEASE_EXPIRED, terminal: false });
      else this.#place(now, entry, now);
    }
  }

  /** The earliest instant at which `tick` has something to do. */
  nextAt(): number | undefined {
    return this.#entries.nextAt();
  }

  depth(now: number): QueueDepth {
    const dues = this.#entries
      .all()
      .flatMap(({ state, wakeAt }) => (state === "waiting" ? [wakeAt ?? now] : []));
    const next = dues.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const { counts } = this.#entries;
    return dues.length === 0 ? { ...counts } : { ...counts, nextDueMs: Math.max(0, next - now) };
  }

  /** The longest dead first. */
  dead(): readonly DeadKey[] {
    return this.#entries
      .all()
      .flatMap(({ state, key, deadSince, failures, failure }) =>
        state === "dead" && deadSince !== undefined && failure !== undefined
          ? [{ key, since: new Date(deadSince), failures, failure }]
          : [],
      )
      .sort((a, b) => a.since.getTime() - b.since.getTime() || (a.key < b.key ? -1 : 1));
  }

  #held(key: Key, owner: string): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry?.state === "running" && entry.lease?.owner === owner ? entry : undefined;
  }

  #revive(now: number, entry: Entry, wish: Wish): void {
    entry.class = wish.class;
    entry.failures = wish.class === "live" ? 0 : entry.attempts - 1;
    if (wish.class === "live") entry.deadSince = undefined;
    this.#place(now, entry, wish.due);
  }

  /** An event on a key that waits or is ready. */
  #merge(now: number, entry: Entry, wish: Wish): void {
    if (wish.class === "live" && entry.deadSince !== undefined) {
      entry.failures = 0;
      entry.deadSince = undefined;
    }
    this.#entries.setClass(entry, mostUrgent(entry.class, wish.class));
    if (entry.state === "waiting" && wish.due < (entry.wakeAt ?? 0)) this.#place(now, entry, wish.due);
  }

  #place(now: number, entry: Entry, due: number): void {
    entry.lease = undefined;
    entry.pending = undefined;
    const at = Math.max(due, this.#floors.get(now, entry.key) ?? 0);
    if (at > now) this.#entries.move(entry, "waiting", at);
    else this.#entries.move(entry, "ready");
  }

  /** After a run that did not fail: as soon as it or a pending event wants, else idle. */
  #next(now: number, entry: Entry, wanted: number | undefined): void {
    const { pending } = entry;
    if (pending !== undefined) {
      entry.class = wanted === undefined ? pending.class : mostUrgent(entry.class, pending.class);
      this.#place(now, entry, Math.min(pending.due, wanted ?? pending.due));
    } else if (wanted !== undefined) {
      this.#place(now, entry, wanted);
    } else {
      this.#entries.delete(entry);
    }
  }

  #fail(now: number, entry: Entry, { failure, terminal }: { failure: Failure; terminal: boolean }): void {
    const { pending, lease } = entry;
    entry.failures += 1;
    entry.again = 0;
    entry.failure = failure;
    if (pending !== undefined) entry.class = mostUrgent(entry.class, pending.class);
    if (!terminal && entry.failures < entry.attempts) {
      const retryAt = now + Math.max(lease?.minIntervalMs ?? 0, backoffMs(entry.failures, this.#random()));
      this.#place(now, entry, Math.min(pending?.due ?? retryAt, retryAt));
    } else if (pending === undefined) {
      entry.deadSince ??= now;
      entry.lease = undefined;
      this.#entries.move(entry, "dead");
    } else {
      const revived = entry.deadSince !== undefined && pending.class === "live";
      entry.failures = revived ? 0 : entry.attempts - 1;
      if (revived) entry.deadSince = undefined;
      this.#place(now, entry, pending.due);
    }
  }

  #keepFences(now: number, key: Key, fences: readonly Fence[]): void {
    if (fences.length === 0) this.#fences.delete(key);
    else this.#fences.set(now, key, { value: fences, until: now + FENCES_KEPT_MS });
  }
}

interface Wish {
  readonly due: number;
  readonly class: Class;
}

function merged(a: Wish | undefined, b: Wish): Wish {
  return a === undefined ? b : { due: Math.min(a.due, b.due), class: mostUrgent(a.class, b.class) };
}

function mostUrgent(a: Class, b: Class): Class {
  return a === "live" || b === "live" ? "live" : "resync";
}

/** The newest first, each only once. */
function newest(cause: Cause, causes: readonly Cause[]): readonly Cause[] {
  const others = causes.filter(
    (other) => other.what !== cause.what || other.resourceVersion !== cause.resourceVersion,
  );
  return [cause, ...others].slice(0, MAX_CAUSES);
}

import { backoffMs } from "../../shared/runtime/backoff.ts";
import type { Death } from "../../shared/runtime/dead-letters-port.ts";
import type { Key } from "../../shared/runtime/key.ts";
import type {
  DeadKey,
  Failure,
  Fence,
  Outcome,
  QueueDepth,
  QueueEntry,
} from "../../shared/runtime/queue-port.ts";
import { Breaker } from "./breaker.ts";
import type { Claim, ClaimTerms } from "./claim.ts";
import { deathReason, FENCES_KEPT_MS, floorMs, LEASE_EXPIRED } from "./claim.ts";
import { ExpiringMap } from "./expiring-map.ts";
import { countEntries } from "./ledger-depth.ts";
import type { Entry } from "./ledger-entries.ts";
import { LedgerEntries } from "./ledger-entries.ts";
import { LEDGER_LIMITS, type LedgerLimits } from "./limits.ts";
import { merged, mostUrgent, newest, type Wish } from "./wish.ts";

/*
 * The ledger of one function: per key one of five states (queue.md 3). `lua/` holds the same table for Redis, where
 * ready keys also have a token on its way to a worker; here a claim takes the first ready key itself.
 *
 * | call              | idle         | waiting          | ready           | running                | dead               |
 * |-------------------|--------------|------------------|-----------------|------------------------|--------------------|
 * | enqueue live      | place(due)   | sooner: place;   | class live (to  | pending: earliest due, | failures 0, place  |
 * |                   |              | class live       | its live line)  | most urgent class      |                    |
 * | enqueue resync    | place(due)   | sooner: place    | -               | the same               | one attempt left,  |
 * |                   |              |                  |                 |                        | place (a probe)    |
 * | claim             | -            | -                | → running       | -                      | -                  |
 * | finish ok         | fenced       | fenced           | fenced          | failures 0; next due   | fenced             |
 * |                   |              |                  |                 | → place, none → idle   |                    |
 * | finish again      | fenced       | fenced           | fenced          | place(after)           | fenced             |
 * | finish error      | fenced       | fenced           | fenced          | fail                   | fenced             |
 * | renew             | fenced       | fenced           | fenced          | lease longer           | fenced             |
 * | release           | fenced       | fenced           | fenced          | place(now)             | fenced             |
 * | tick              | -            | due: → ready     | resync older    | lease expired: fail    | older than 14 d:   |
 * |                   |              |                  | than agingMs:   |                        | → idle             |
 * |                   |              |                  | to a live line  |                        |                    |
 *
 * place(due): due is at least the floor, then waiting or ready; the lease and pending events are gone.
 * next due: the earlier of what the run wants and the pending event, whose class it takes over.
 * fail: failures + 1. Below the attempts: place(the earlier of backoff and pending event). Terminal, or no attempt
 *   left: dead, or with a pending event one attempt left and place(pending). A live event, before or during
 *   the probe of a dead key, revives it as it would have revived the dead key.
 * dead: beyond `maxDead` the longest dead → idle.
 *
 * Which key a claim takes: live lines before resync lines; one line per tenant, lines in turn, each in
 * the order of arrival; no tenant beyond maxRunningPerTenant. None while paused, one per second while the breaker is
 * open (breaker.ts); events are accepted and time passes all the same.
 *
 * Forbidden: two leases of one key; a finish, renew or release by anybody but the owner of the lease (answer: fenced,
 * nothing changes); a claim before the floor; a dead key that runs without an event. The failure count changes only
 * by finish, expiry, success and revival; `again` and release touch neither count nor floor.
 *
 * Where it differs in `lua/`: one order of ready keys, by class and by rank (keys of the same tenant and class that
 * were ready before); an aged key goes to the front of all. Of the ready keys at most `window` have a token; the
 * others wait for a worker: a claim takes the first of them when it is more urgent than the token's key, and so does
 * a worker that ends a run (token-queue.ts). What may not be claimed loses its token and waits like them, behind `held:<tenant>` while its tenant is at its limit.
 *
 * No timers and no clock: every call brings `now` (ms, one clock), and `nextAt` tells when `tick` has work.
 */
export class Ledger {
  readonly #random: () => number;
  readonly #entries = new LedgerEntries();
  readonly #floors = new ExpiringMap<number>();
  readonly #fences = new ExpiringMap<readonly Fence[]>();
  readonly #onFailure: (failed: CountedFailure) => void;
  readonly #limits: LedgerLimits;
  readonly #breaker = new Breaker();
  #paused: boolean = false;
  #deadEvicted = 0;
  /** When a claim that the breaker has refused may be tried again. */
  #retryClaimAt: number | undefined;

  /** `random` in [0, 1) for the jitter of backoffs. `onFailure` must not throw. */
  constructor(
    random: () => number,
    onFailure: (failed: CountedFailure) => void = () => undefined,
    limits: Partial<LedgerLimits> = {},
  ) {
    this.#random = random;
    this.#onFailure = onFailure;
    this.#limits = { ...LEDGER_LIMITS, ...limits };
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

  /** Leases the first ready key (see above); undefined when there is none or none may be claimed now. */
  claim(now: number, terms: ClaimTerms): Claim | undefined {
    if (this.#paused || this.#entries.counts.ready === 0) return undefined;
    this.#retryClaimAt = this.#breaker.claimAt(now);
    if (this.#retryClaimAt !== undefined) return undefined;
    const entry = this.#entries.shiftReady(terms.maxRunningPerTenant ?? Number.POSITIVE_INFINITY);
    if (entry === undefined) return undefined;
    const { key, failures, again, causes } = entry;
    const readyMs = now - (entry.readyAt ?? now);
    this.#entries.move(entry, "running", now + terms.leaseMs);
    entry.lease = { ...terms, startedAt: now };
    entry.attempts = terms.attempts;
    entry.causes = [];
    const fences = this.#fences.get(now, key) ?? [];
    return { key, owner: terms.owner, failures, again, causes, fences, readyMs };
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
      this.#breaker.note(now, false);
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

  /** Makes due keys ready, lets old ones go first, takes expired leases away and forgets the long dead. */
  tick(now: number): void {
    this.#breaker.settle(now);
    if (this.#retryClaimAt !== undefined && this.#retryClaimAt <= now) this.#retryClaimAt = undefined;
    for (let entry = this.#entries.shiftDue(now); entry !== undefined; entry = this.#entries.shiftDue(now)) {
      if (entry.state === "running") this.#fail(now, entry, { failure: LEASE_EXPIRED, terminal: false });
      else if (entry.state === "waiting") this.#place(now, entry, now);
      else if (entry.state === "ready") this.#entries.age(entry);
      else this.#entries.delete(entry);
    }
  }

  /** The earliest instant at which `tick`, or a claim that was refused, has something to do. */
  nextAt(): number | undefined {
    const at = Math.min(this.#entries.nextAt() ?? Infinity, this.#retryClaimAt ?? Infinity);
    return at === Infinity ? undefined : at;
  }

  /** No claims until it is called with false. */
  pause(paused: boolean): void {
    this.#paused = paused;
  }

  depth(now: number): QueueDepth {
    return {
      ...countEntries(now, this.#entries.all()),
      ...(this.#paused ? { paused: true } : {}),
      ...(this.#breaker.open ? { breakerOpen: true } : {}),
      ...(this.#deadEvicted > 0 ? { deadEvicted: this.#deadEvicted } : {}),
    };
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
    // A wish that is due now does not wait for the tick that will find the earlier one due.
    const sooner = wish.due <= now || wish.due < (entry.wakeAt ?? 0);
    if (entry.state === "waiting" && sooner) this.#place(now, entry, wish.due);
  }

  #place(now: number, entry: Entry, due: number): void {
    entry.lease = undefined;
    entry.pending = undefined;
    const at = Math.max(due, this.#floors.get(now, entry.key) ?? 0);
    if (at > now) {
      this.#entries.move(entry, "waiting", at);
    } else {
      this.#entries.move(entry, "ready", entry.class === "resync" ? now + this.#limits.agingMs : undefined);
      entry.readyAt = now;
    }
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
    const { pending, lease, again } = entry;
    let death: Death | undefined;
    entry.failures += 1;
    const { failures } = entry;
    entry.again = 0;
    entry.failure = failure;
    this.#breaker.note(now, true);
    if (pending !== undefined) entry.class = mostUrgent(entry.class, pending.class);
    if (!terminal && entry.failures < entry.attempts) {
      const retryAt = now + Math.max(lease?.minIntervalMs ?? 0, backoffMs(entry.failures, this.#random()));
      this.#place(now, entry, Math.min(pending?.due ?? retryAt, retryAt));
    } else if (pending === undefined) {
      entry.deadSince ??= now;
      entry.lease = undefined;
      this.#entries.move(entry, "dead", entry.deadSince + this.#limits.deadKeptMs);
      this.#evictDead();
      death = {
        reason: deathReason(failure, terminal),
        class: entry.class,
        since: new Date(entry.deadSince),
      };
    } else {
      const revived = entry.deadSince !== undefined && pending.class === "live";
      entry.failures = revived ? 0 : entry.attempts - 1;
      if (revived) entry.deadSince = undefined;
      this.#place(now, entry, pending.due);
    }
    this.#onFailure({ key: entry.key, failure, failures, again, death });
  }

  #evictDead(): void {
    if (this.#entries.counts.dead <= this.#limits.maxDead) return;
    const [oldest] = this.dead();
    const entry = oldest && this.#entries.get(oldest.key);
    if (entry === undefined) return;
    this.#entries.delete(entry);
    this.#deadEvicted += 1;
  }

  #keepFences(now: number, key: Key, fences: readonly Fence[]): void {
    if (fences.length === 0) this.#fences.delete(key);
    else this.#fences.set(now, key, { value: fences, until: now + FENCES_KEPT_MS });
  }
}

/** A failure that raised the count of a key: of a run, or an expired lease. */
export interface CountedFailure {
  readonly key: Key;
  readonly failure: Failure;
  readonly failures: number;
  readonly again: number;
  /** The key has died of it. */
  readonly death: Death | undefined;
}

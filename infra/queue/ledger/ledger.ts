import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { SeenDeath } from "../../../shared/runtime/queue/queue-control.ts";
import type {
  Cause,
  Counted,
  DeadKey,
  Fence,
  KeyState,
  Outcome,
  QueueDepth,
  QueueEntry,
} from "../../../shared/runtime/queue/queue-port.ts";
import type { KeyPage, KeySelection } from "../../../shared/runtime/queue/queue-reader.ts";
import type { RunCounts } from "../../../shared/runtime/queue/run-counts.ts";
import type { Claim, ClaimTerms } from "../claim.ts";
import { FENCES_KEPT_MS, floorMs, LEASE_EXPIRED } from "../claim.ts";
import { LEDGER_LIMITS, type LedgerLimits } from "../limits.ts";
import { Breaker } from "./breaker.ts";
import { ExpiringMap } from "./expiring-map.ts";
import { keyPage } from "./key-page.ts";
import { type CountedFailure, type FailedEnd, LedgerDeaths } from "./ledger-deaths.ts";
import { countEntries, deadKeys, keyStateOf } from "./ledger-depth.ts";
import type { Entry } from "./ledger-entries.ts";
import { LedgerEntries } from "./ledger-entries.ts";
import { LedgerPlaces } from "./ledger-places.ts";
import { NamespaceBudgets } from "./namespace-budgets.ts";
import { type EndedRun, RunTally } from "./run-tally.ts";
import { merged, newest } from "./wish.ts";

/*
 * The ledger of one function: per key one of five states. `lua/` holds the same table for Redis, where
 * ready keys also have a token on its way to a worker; here a claim takes the first ready key itself.
 *
 * | call              | idle         | waiting          | ready           | running                | dead               |
 * |-------------------|--------------|------------------|-----------------|------------------------|--------------------|
 * | enqueue live      | place(due)   | sooner: place;   | class live (to  | pending: earliest due, | failures 0, place  |
 * |                   |              | class live       | its live line)  | most urgent class      |                    |
 * | enqueue resync    | place(due)   | sooner: place    | -               | the same               | -                  |
 * | requeue           | -            | -                | -               | -                      | dead as seen:      |
 * |                   |              |                  |                 |                        | enqueue live       |
 * | claim             | -            | -                | → running, or   | -                      | -                  |
 * |                   |              |                  | waiting (slot)  |                        |                    |
 * | finish ok         | fenced       | fenced           | fenced          | failures 0; next due   | fenced             |
 * |                   |              |                  |                 | → place, none → idle   |                    |
 * | finish again      | fenced       | fenced           | fenced          | place(after)           | fenced             |
 * | finish error      | fenced       | fenced           | fenced          | fail                   | fenced             |
 * | renew             | fenced       | fenced           | fenced          | lease longer           | fenced             |
 * | release           | fenced       | fenced           | fenced          | place(now)             | fenced             |
 * | bury              | -            | -                | -               | dying: → dead; pending | -                  |
 * |                   |              |                  |                 | live: enqueue live;    |                    |
 * |                   |              |                  |                 | malformed: → idle      |                    |
 * | tick              | -            | due: → ready     | resync older    | lease expired: fail;   | due in the slow    |
 * |                   |              |                  | than agingMs:   | dying: repeated        | lane: class resync,|
 * |                   |              |                  | to a live line  |                        | place(now)         |
 *
 * place(due): due is at least the floor, then waiting or ready; the lease and pending events are gone.
 * next due: the earlier of what the run wants and the pending event, whose class it takes over.
 * fail: failures + 1. Below the attempts: place(the earlier of backoff and pending event). Terminal, or no attempt
 *   left: dying, or with a pending event one attempt left and place(pending).
 * slow lane: a dead key is due slowMinMs to slowMaxMs after its last attempt, for ever; at most slowAtOnce of them
 *   run, or are ready to, and slowPerSecond begin in a second. Such a run does not count for the breaker, its failure is
 *   dying again, of the same death, and a live event before its end revives the key as it would have revived the dead.
 * dying: still running, but only for the process that writes its letter: it is notified of the death and then buries
 *   the key, so no key is dead without a letter. Not buried within `letterMs`: the process that ticks is notified. For
 *   finish, renew and release a dying key is fenced like a dead one.
 * dead: beyond `maxDead` the one that is due first → idle.
 *
 * Which key a claim takes: live lines before resync lines before those of the slow lane; one line per tenant, lines in turn, each in
 * the order of arrival; no tenant beyond maxRunningPerTenant. None while paused, one per second while the breaker is
 * open (breaker.ts); events are accepted and time passes meanwhile. A ready key whose namespace has run too much becomes
 * waiting until its slot (S-31), which it keeps: an event before that makes it ready, and the next claim puts it back.
 *
 * Forbidden: two leases of one key; a finish, renew or release by another than the owner of the lease (answer: fenced,
 * nothing changes); a claim before the floor; a dead key that has no letter. The failure
 * count changes only by finish, expiry, success and revival; `again` and release touch neither count nor floor.
 *
 * Differences in `lua/`: a tenant does not take its turn when a key is claimed; every ready key has the number of its
 * turn from the start: past turns, plus keys of its tenant in the same line. Of the ready keys at most `window` have a
 * token; the others wait for a worker: a claim takes the first of them when it is more urgent than the token's key, and
 * so does a worker that ends a run (token-queue.ts). A key that must not be claimed loses its token and waits like
 * them, behind `held:<tenant>` while its tenant is at its limit. The death of a key is reported again to the worker of
 * its last run, if that still finishes it: it knows most about the run.
 *
 * No timers and no clock: every call brings `now` (ms, one clock), and `nextAt` returns when `tick` has work.
 */
export class Ledger {
  readonly #entries: LedgerEntries;
  readonly #places: LedgerPlaces;
  readonly #fences = new ExpiringMap<readonly Fence[]>();
  readonly #deaths: LedgerDeaths;
  readonly #count: (counted: Counted) => void;
  readonly #breaker = new Breaker();
  readonly #budgets = new NamespaceBudgets();
  readonly #runs = new RunTally();
  #paused: boolean = false;
  /** When a claim that the breaker has refused may be retried. */
  #retryClaimAt: number | undefined;

  constructor({ random, onFailure = ignore, onCount = ignore, onMove = ignore, limits }: LedgerOptions) {
    this.#entries = new LedgerEntries(onMove);
    const shared = { random, onFailure, onCount, limits: { ...LEDGER_LIMITS, ...limits } };
    this.#count = onCount;
    this.#places = new LedgerPlaces(this.#entries, shared);
    this.#deaths = new LedgerDeaths(this.#entries, this.#places, shared);
  }

  enqueue(now: number, { key, delayMs = 0, class: wanted, cause }: QueueEntry): void {
    const wish = { due: now + Math.max(0, delayMs), class: wanted };
    const known = this.#entries.get(key);
    const entry = known ?? this.#entries.create(key, wanted);
    // The slow lane tries it again anyhow.
    if (entry.state === "dead" && wanted === "resync") return;
    if (cause !== undefined) entry.causes = newest(cause, entry.causes);
    if (known === undefined) {
      this.#places.place(now, entry, wish.due);
    } else if (entry.state === "running") {
      if (entry.pending !== undefined) this.#count("coalesced");
      entry.pending = merged(entry.pending, wish);
    } else if (entry.state === "dead") {
      this.#places.revive(now, entry, wish.due);
    } else {
      this.#places.merge(now, entry, wish);
    }
  }

  /** Leases the first ready key (see above); undefined when no key is ready or may be claimed now. */
  claim(now: number, terms: ClaimTerms): Claim | undefined {
    if (this.#paused || this.#entries.counts.ready === 0) return undefined;
    this.#retryClaimAt = this.#breaker.claimAt(now);
    if (this.#retryClaimAt !== undefined) return undefined;
    const entry = this.#shiftReady(now, terms);
    if (entry === undefined) return undefined;
    entry.slot = undefined;
    this.#breaker.noteClaim(now);
    const { key, failures, again, causes } = entry;
    const readyMs = now - (entry.readyAt ?? now);
    this.#entries.move(entry, "running", now + terms.leaseMs);
    entry.lease = { ...terms, startedAt: now };
    entry.attempts = terms.attempts;
    entry.causes = [];
    const fences = this.#fences.get(now, key) ?? [];
    return { key, owner: terms.owner, failures, again, causes, fences, readyMs, claimedAtMs: now };
  }

  /** Ends a run. Returns false when it is fenced. */
  finish(now: number, { key, owner }: Pick<Claim, "key" | "owner">, outcome: Outcome): boolean {
    const entry = this.#held(key, owner);
    if (entry?.lease === undefined) return this.#fenced();
    if (outcome.fences !== undefined) this.#keepFences(now, key, outcome.fences);
    this.#places.keepFloor(now, key, entry.lease.startedAt + floorMs(outcome, entry.lease.minIntervalMs));
    if (outcome.type === "error") {
      this.#fail(now, entry, outcome);
      return true;
    }
    entry.again = outcome.type === "again" ? entry.again + 1 : 0;
    if (outcome.type === "ok") {
      this.#noteRun(now, entry, false);
      entry.failures = 0;
      entry.deadSince = undefined;
    }
    const wanted = outcome.afterMs === undefined ? undefined : now + Math.max(0, outcome.afterMs);
    this.#places.next(now, entry, wanted);
    return true;
  }

  /** Extends a lease. Returns false when it is fenced. */
  renew(now: number, { key, owner }: Pick<Claim, "key" | "owner">, leaseMs: number): boolean {
    const entry = this.#held(key, owner);
    if (entry !== undefined) this.#entries.wake(entry, now + leaseMs);
    return entry !== undefined;
  }

  /** Releases a key uncounted. Returns false when it is fenced. */
  release(now: number, { key, owner }: Pick<Claim, "key" | "owner">): boolean {
    const entry = this.#held(key, owner);
    if (entry === undefined) return this.#fenced();
    this.#places.next(now, entry, now);
    return true;
  }

  /** Ends the death that `onFailure` has reported. */
  bury(now: number, key: Key, since: Date): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#deaths.bury(now, entry, since);
  }

  /** Makes due keys ready, ages resync keys, ends expired leases and tries dead keys again. */
  tick(now: number): void {
    this.#breaker.settle(now);
    if (this.#retryClaimAt !== undefined && this.#retryClaimAt <= now) this.#retryClaimAt = undefined;
    for (let entry = this.#entries.shiftDue(now); entry !== undefined; entry = this.#entries.shiftDue(now)) {
      if (entry.dyingSince !== undefined) this.#deaths.condemn(now, entry);
      else if (entry.state === "running") this.#fail(now, entry, { failure: LEASE_EXPIRED, terminal: false });
      else if (entry.state === "waiting") this.#places.place(now, entry, now);
      else this.#entries.age(entry);
    }
    this.#deaths.retry(now);
  }

  /** Returns the earliest instant at which `tick`, or a claim that was refused, has work. */
  nextAt(): number | undefined {
    const instants = [this.#entries.nextAt(), this.#deaths.nextRetryAt(), this.#retryClaimAt];
    const at = Math.min(...instants.map((each) => each ?? Infinity));
    return at === Infinity ? undefined : at;
  }

  /** Stops all claims until it is called with false. Returns false when it was so before. */
  pause(paused: boolean): boolean {
    const before = this.#paused;
    this.#paused = paused;
    return paused !== before;
  }

  /** Sends a live event to a key that is dead since this instant; false when it is not. */
  requeue(now: number, { key, deadSince }: SeenDeath, cause: Cause): boolean {
    const entry = this.#entries.get(key);
    if (entry?.state !== "dead" || entry.deadSince !== deadSince.getTime()) return false;
    this.enqueue(now, { key, class: "live", cause });
    return true;
  }

  depth(now: number): QueueDepth {
    const lastMinute = this.#breaker.lastMinute(now);
    return {
      ...countEntries(now, this.#entries.all()),
      ...(this.#paused ? { paused: true } : {}),
      ...(this.#breaker.open ? { breakerOpen: true } : {}),
      ...(this.#deaths.evicted > 0 ? { deadEvicted: this.#deaths.evicted } : {}),
      ...(lastMinute === undefined ? {} : { lastMinute }),
    };
  }

  /** Returns the runs that have ended since the ledger began. */
  counts(): RunCounts {
    return this.#runs.counts();
  }

  /** Returns the dead keys, the longest dead first. */
  dead(): readonly DeadKey[] {
    return deadKeys(this.#entries.all());
  }

  /** Returns a page of the keys in one state. */
  keys(selection: KeySelection): KeyPage {
    return keyPage(this.#entries.all(), selection);
  }

  /** Returns the state of a key for people; undefined = idle. */
  keyState(key: Key): KeyState | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : keyStateOf(entry);
  }

  /** Takes the first ready key that may run; those before it whose namespace has run too much wait for their slot. */
  #shiftReady(now: number, terms: ClaimTerms): Entry | undefined {
    const { maxRunningPerTenant = Number.POSITIVE_INFINITY, namespaceRunsPerSecond } = terms;
    for (;;) {
      const entry = this.#entries.shiftReady(maxRunningPerTenant);
      if (entry === undefined || namespaceRunsPerSecond === undefined) return entry;
      entry.slot ??= this.#budgets.take(now, entry.key, namespaceRunsPerSecond);
      if (entry.slot <= now) return entry;
      this.#count("throttled");
      this.#entries.move(entry, "waiting", entry.slot);
    }
  }

  #held(key: Key, owner: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.state !== "running" || entry.lease?.owner !== owner) return undefined;
    return entry.dyingSince === undefined ? entry : undefined;
  }

  #fenced(): false {
    this.#count("fenced");
    return false;
  }

  #fail(now: number, entry: Entry, failed: FailedEnd): void {
    this.#noteRun(now, entry, true);
    this.#deaths.fail(now, entry, failed);
  }

  #noteRun(now: number, { lease, deadSince }: Entry, failed: boolean): void {
    const run: EndedRun = { startedAt: lease?.startedAt ?? now, failed };
    // Dead keys whose cause has not gone say nothing about the others.
    if (deadSince === undefined) this.#breaker.note(now, run);
    this.#runs.note(now, run);
  }

  #keepFences(now: number, key: Key, fences: readonly Fence[]): void {
    if (fences.length === 0) this.#fences.delete(key);
    else this.#fences.set(now, key, { value: fences, until: now + FENCES_KEPT_MS });
  }
}

function ignore(): void {
  // The default of callbacks.
}

export interface LedgerOptions {
  /** In [0, 1), for the jitter of backoffs. */
  readonly random: () => number;
  /** Must not throw. */
  readonly onFailure?: (failed: CountedFailure) => void;
  /** Must not throw. */
  readonly onCount?: (counted: Counted) => void;
  /** Called with every key whose state changes. Must not throw. */
  readonly onMove?: (key: Key) => void;
  readonly limits?: Partial<LedgerLimits>;
}

import type { Key } from "../../../shared/runtime/key.ts";
import type { Cause, Failure, QueueEntry } from "../../../shared/runtime/queue-port.ts";
import { type Due, DueHeap } from "../../due-heap.ts";
import type { ClaimTerms } from "../claim.ts";
import { TenantLines, tenantOfKey } from "./tenant-lines.ts";

export type State = "waiting" | "ready" | "running" | "dead";
export type Class = QueueEntry["class"];

/**
 * One key that is not idle. Only the ledger changes it; `state`, `class` and `wakeAt` change only through
 * LedgerEntries.
 */
export interface Entry {
  readonly key: Key;
  state: State;
  class: Class;
  /** When a tick moves this key: due of a waiting key, lease expiry of a running one, aging of a ready resync key. */
  wakeAt: number | undefined;
  readyAt: number | undefined;
  /** A resync key that has been ready for so long that it stands in the live line. */
  aged: boolean;
  failures: number;
  again: number;
  causes: readonly Cause[];
  /** The merged wishes of the events since the claim. */
  pending: { readonly due: number; readonly class: Class } | undefined;
  lease: (ClaimTerms & { readonly startedAt: number }) | undefined;
  /** Attempts of the last claim's terms: a probe has one left. */
  attempts: number;
  /** Kept through a probe, so that its death is the same death. */
  deadSince: number | undefined;
  /** When its namespace lets it run (S-31); undefined: it has not asked since its last run. */
  slot: number | undefined;
  /** Set while its run is over and its letter is being written. */
  dyingSince: number | undefined;
  failure: Failure | undefined;
}

/** Stale elements that the heap may hold beyond twice the number of keys. */
const HEAP_SLACK = 256;

/** A key and the instant at which it wants attention. */
interface KeyDue extends Due {
  readonly key: Key;
}

/** The entries of one ledger with their order: ready ones by class and arrival, waiting and running ones by time. */
export class LedgerEntries {
  readonly #entries = new Map<Key, Entry>();
  readonly #ready: Readonly<Record<Class, TenantLines>> = {
    live: new TenantLines(),
    resync: new TenantLines(),
  };
  readonly #running = new Map<string, number>();
  readonly #heap = new DueHeap<KeyDue>();
  #order = 0;
  readonly #onMove: (key: Key) => void;
  readonly counts: Record<State, number> = { waiting: 0, ready: 0, running: 0, dead: 0 };

  /** `onMove` is called with every key whose state changes. Must not throw. */
  constructor(onMove: (key: Key) => void = () => undefined) {
    this.#onMove = onMove;
  }

  get(key: Key): Entry | undefined {
    return this.#entries.get(key);
  }

  all(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Creates a waiting entry without a due; the caller places it. */
  create(key: Key, wanted: Class): Entry {
    const entry: Entry = {
      key,
      state: "waiting",
      class: wanted,
      wakeAt: undefined,
      readyAt: undefined,
      aged: false,
      failures: 0,
      again: 0,
      causes: [],
      pending: undefined,
      lease: undefined,
      attempts: 1,
      deadSince: undefined,
      slot: undefined,
      dyingSince: undefined,
      failure: undefined,
    };
    this.#entries.set(key, entry);
    this.counts.waiting += 1;
    return entry;
  }

  delete(entry: Entry): void {
    this.#leave(entry);
    this.#entries.delete(entry.key);
  }

  move(entry: Entry, state: State, wakeAt?: number): void {
    this.#leave(entry);
    entry.aged = false;
    entry.readyAt = undefined;
    if (state === "ready") this.#ready[entry.class].add(entry.key);
    if (state === "running") this.#countRunning(entry, 1);
    this.counts[state] += 1;
    entry.state = state;
    this.wake(entry, wakeAt);
  }

  #leave(entry: Entry): void {
    this.#onMove(entry.key);
    if (entry.state === "ready") this.#lineOf(entry).delete(entry.key);
    if (entry.state === "running") this.#countRunning(entry, -1);
    this.counts[entry.state] -= 1;
  }

  #lineOf({ aged, class: wanted }: Entry): TenantLines {
    return this.#ready[aged ? "live" : wanted];
  }

  #countRunning({ key }: Entry, change: 1 | -1): void {
    const tenant = tenantOfKey(key);
    const count = (this.#running.get(tenant) ?? 0) + change;
    if (count === 0) this.#running.delete(tenant);
    else this.#running.set(tenant, count);
  }

  wake(entry: Entry, at: number | undefined): void {
    if (entry.wakeAt === at) return;
    entry.wakeAt = at;
    if (at === undefined) return;
    this.#heap.push({ at, key: entry.key, order: this.#order++ });
    if (this.#heap.size > 2 * this.#entries.size + HEAP_SLACK) this.#compact();
  }

  /** Sets the class. A key whose line changes goes to the end of the other line. */
  setClass(entry: Entry, wanted: Class): void {
    if (entry.class === wanted) return;
    const moves = entry.state === "ready" && !entry.aged;
    if (moves) this.#lineOf(entry).delete(entry.key);
    entry.class = wanted;
    if (!moves) return;
    this.#lineOf(entry).add(entry.key);
    // Its age counted only while it was of class resync.
    this.wake(entry, undefined);
  }

  /** Moves a ready resync key to the end of its tenant's live line. */
  age(entry: Entry): void {
    this.#lineOf(entry).delete(entry.key);
    entry.aged = true;
    this.#lineOf(entry).add(entry.key);
  }

  /**
   * Takes the first ready key out of its line: live before resync, tenants in turn, at most `maxRunningPerTenant`
   * running keys of each. The caller moves it at once.
   */
  shiftReady(maxRunningPerTenant: number): Entry | undefined {
    const mayRun = (tenant: string): boolean => (this.#running.get(tenant) ?? 0) < maxRunningPerTenant;
    const key = this.#ready.live.shift(mayRun) ?? this.#ready.resync.shift(mayRun);
    return key === undefined ? undefined : this.#entries.get(key);
  }

  nextAt(): number | undefined {
    for (let due = this.#heap.peek(); due !== undefined; due = this.#heap.peek()) {
      if (this.#entries.get(due.key)?.wakeAt === due.at) return due.at;
      this.#heap.pop();
    }
    return undefined;
  }

  /** Takes the earliest entry that is due. The caller moves it at once. */
  shiftDue(now: number): Entry | undefined {
    const at = this.nextAt();
    if (at === undefined || at > now) return undefined;
    const entry = this.#entries.get(this.#heap.pop()?.key ?? "");
    if (entry !== undefined) entry.wakeAt = undefined;
    return entry;
  }

  #compact(): void {
    const kept = new Set<Key>();
    this.#heap.keep(({ key, at }) => {
      if (kept.has(key) || this.#entries.get(key)?.wakeAt !== at) return false;
      kept.add(key);
      return true;
    });
  }
}

import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Cause, Failure, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import { type Due, DueHeap } from "../../platform/due-heap.ts";
import type { ClaimTerms } from "../claim.ts";
import { TenantLines, tenantOfKey } from "./tenant-lines.ts";

export type State = "waiting" | "ready" | "running" | "dead";
export type Class = QueueEntry["class"];
/** In the order of their claims: attempts of dead keys come last. */
const LINES = ["live", "resync", "slow"] as const;

/**
 * One key that is not idle. Only the ledger changes it; `state`, `class` and `wakeAt` change only through
 * LedgerEntries.
 */
export interface Entry {
  readonly key: Key;
  state: State;
  class: Class;
  /**
   * When a tick moves this key: due of a waiting key, lease expiry of a running one, aging of a ready resync key, next
   * attempt of a dead one.
   */
  wakeAt: number | undefined;
  readyAt: number | undefined;
  /** Of a ready key. A resync key that has been ready for long stands in the live line. */
  line: (typeof LINES)[number];
  failures: number;
  again: number;
  causes: readonly Cause[];
  /** The merged wishes of the events since the claim. */
  pending: { readonly due: number; readonly class: Class } | undefined;
  lease: (ClaimTerms & { readonly startedAt: number }) | undefined;
  /** Attempts of the last claim's terms. */
  attempts: number;
  /** Kept through an attempt in the slow lane, so that its death is the same death. */
  deadSince: number | undefined;
  /** When a key that is dying or dead is tried again. */
  retryAt: number | undefined;
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
  readonly #ready: Readonly<Record<Entry["line"], TenantLines>> = {
    live: new TenantLines(),
    resync: new TenantLines(),
    slow: new TenantLines(),
  };
  readonly #running = new Map<string, number>();
  readonly #heap = new DueHeap<KeyDue>();
  /** The dead keys: of those that are due only a few may be tried. */
  readonly #dead = new DueHeap<KeyDue>();
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
      line: wanted,
      failures: 0,
      again: 0,
      causes: [],
      pending: undefined,
      lease: undefined,
      attempts: 1,
      deadSince: undefined,
      retryAt: undefined,
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
    entry.readyAt = undefined;
    if (state === "ready") this.#join(entry, entry.deadSince === undefined ? entry.class : "slow");
    if (state === "running") this.#countRunning(entry, 1);
    this.counts[state] += 1;
    entry.state = state;
    this.wake(entry, wakeAt);
  }

  #leave(entry: Entry): void {
    this.#onMove(entry.key);
    if (entry.state === "ready") this.#ready[entry.line].delete(entry.key);
    if (entry.state === "running") this.#countRunning(entry, -1);
    this.counts[entry.state] -= 1;
  }

  #join(entry: Entry, line: Entry["line"]): void {
    entry.line = line;
    this.#ready[line].add(entry.key);
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
    const heap = this.#heapOf(entry);
    heap.push({ at, key: entry.key, order: this.#order++ });
    if (heap.size > 2 * this.#entries.size + HEAP_SLACK) this.#compact(heap);
  }

  #heapOf({ state }: Entry): DueHeap<KeyDue> {
    return state === "dead" ? this.#dead : this.#heap;
  }

  /** Sets the class. A key whose line changes goes to the end of the other line. */
  setClass(entry: Entry, wanted: Class): void {
    // A live key whose run in the slow lane came to no end leaves that line once it is revived.
    const isRevived = entry.line === "slow" && entry.deadSince === undefined;
    if (entry.class === wanted && !isRevived) return;
    entry.class = wanted;
    if (entry.state !== "ready" || entry.line === wanted) return;
    this.#ready[entry.line].delete(entry.key);
    this.#join(entry, wanted);
    // Its age counted only while it was of class resync.
    this.wake(entry, undefined);
  }

  /** Moves a ready resync key to the end of its tenant's live line. */
  age(entry: Entry): void {
    this.#ready[entry.line].delete(entry.key);
    this.#join(entry, "live");
  }

  /**
   * Takes the first ready key out of its line: live before resync before slow, tenants in turn, at most
   * `maxRunningPerTenant` running keys of each. The caller moves it at once.
   */
  shiftReady(maxRunningPerTenant: number): Entry | undefined {
    const mayRun = (tenant: string): boolean => (this.#running.get(tenant) ?? 0) < maxRunningPerTenant;
    for (const line of LINES) {
      const key = this.#ready[line].shift(mayRun);
      if (key !== undefined) return this.#entries.get(key);
    }
    return undefined;
  }

  nextAt(): number | undefined {
    return this.#first(this.#heap)?.wakeAt;
  }

  /** Takes the earliest entry that is due and not dead. The caller moves it at once. */
  shiftDue(now: number): Entry | undefined {
    const entry = this.#first(this.#heap);
    if (entry?.wakeAt === undefined || entry.wakeAt > now) return undefined;
    this.#heap.pop();
    entry.wakeAt = undefined;
    return entry;
  }

  /** Returns the dead key that will be tried next. */
  firstDead(): Entry | undefined {
    return this.#first(this.#dead);
  }

  #first(heap: DueHeap<KeyDue>): Entry | undefined {
    for (let due = heap.peek(); due !== undefined; due = heap.peek()) {
      const entry = this.#entries.get(due.key);
      if (entry !== undefined && this.#wants(heap, due)) return entry;
      heap.pop();
    }
    return undefined;
  }

  #wants(heap: DueHeap<KeyDue>, { key, at }: KeyDue): boolean {
    const entry = this.#entries.get(key);
    return entry?.wakeAt === at && this.#heapOf(entry) === heap;
  }

  #compact(heap: DueHeap<KeyDue>): void {
    const kept = new Set<Key>();
    heap.keep((due) => {
      if (kept.has(due.key) || !this.#wants(heap, due)) return false;
      kept.add(due.key);
      return true;
    });
  }
}

import type { Key } from "../../shared/runtime/key.ts";
import type { Cause, Failure, QueueEntry } from "../../shared/runtime/ports.ts";
import type { ClaimTerms } from "./claim.ts";
import { DueHeap } from "./due-heap.ts";
import { Fifo } from "./fifo.ts";

export type State = "waiting" | "ready" | "running" | "dead";
export type Class = QueueEntry["class"];

/** One key that is not idle. Only the ledger changes it; `state`, `class` and `wakeAt` only through LedgerEntries. */
export interface Entry {
  readonly key: Key;
  state: State;
  class: Class;
  /** When time moves this key on: due of a waiting one, lease expiry of a running one. */
  wakeAt: number | undefined;
  failures: number;
  again: number;
  causes: readonly Cause[];
  /** The merged wishes of the events since the claim. */
  pending: { readonly due: number; readonly class: Class } | undefined;
  lease: (ClaimTerms & { readonly startedAt: number }) | undefined;
  /** Of the last claim; how far a probe is from death. */
  attempts: number;
  /** Kept through a probe, so that its death is the same death. */
  deadSince: number | undefined;
  failure: Failure | undefined;
}

/** Stale elements that the heap may hold beyond twice the number of keys. */
const HEAP_SLACK = 256;

/** The entries of one ledger with their order: ready ones by class and arrival, waiting and running ones by time. */
export class LedgerEntries {
  readonly #entries = new Map<Key, Entry>();
  readonly #ready: Readonly<Record<Class, Fifo>> = { live: new Fifo(), resync: new Fifo() };
  readonly #heap = new DueHeap();
  readonly counts: Record<State, number> = { waiting: 0, ready: 0, running: 0, dead: 0 };

  get(key: Key): Entry | undefined {
    return this.#entries.get(key);
  }

  all(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** A waiting entry without a due: place it. */
  create(key: Key, wanted: Class): Entry {
    const entry: Entry = {
      key,
      state: "waiting",
      class: wanted,
      wakeAt: undefined,
      failures: 0,
      again: 0,
      causes: [],
      pending: undefined,
      lease: undefined,
      attempts: 1,
      deadSince: undefined,
      failure: undefined,
    };
    this.#entries.set(key, entry);
    this.counts.waiting += 1;
    return entry;
  }

  delete(entry: Entry): void {
    if (entry.state === "ready") this.#ready[entry.class].delete(entry.key);
    this.counts[entry.state] -= 1;
    this.#entries.delete(entry.key);
  }

  move(entry: Entry, state: State, wakeAt?: number): void {
    if (entry.state === "ready") this.#ready[entry.class].delete(entry.key);
    if (state === "ready") this.#ready[entry.class].add(entry.key);
    this.counts[entry.state] -= 1;
    this.counts[state] += 1;
    entry.state = state;
    this.wake(entry, wakeAt);
  }

  wake(entry: Entry, at: number | undefined): void {
    if (entry.wakeAt === at) return;
    entry.wakeAt = at;
    if (at === undefined) return;
    this.#heap.push(at, entry.key);
    if (this.#heap.size > 2 * this.#entries.size + HEAP_SLACK) this.#compact();
  }

  setClass(entry: Entry, wanted: Class): void {
    if (entry.class === wanted) return;
    if (entry.state === "ready") {
      this.#ready[entry.class].delete(entry.key);
      this.#ready[wanted].add(entry.key);
    }
    entry.class = wanted;
  }

  /** Takes the first ready key out of its line: live before resync. Move it at once. */
  shiftReady(): Entry | undefined {
    const key = this.#ready.live.shift() ?? this.#ready.resync.shift();
    return key === undefined ? undefined : this.#entries.get(key);
  }

  nextAt(): number | undefined {
    for (let due = this.#heap.peek(); due !== undefined; due = this.#heap.peek()) {
      if (this.#entries.get(due.key)?.wakeAt === due.at) return due.at;
      this.#heap.pop();
    }
    return undefined;
  }

  /** Takes the earliest entry whose time has come. Move it at once. */
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

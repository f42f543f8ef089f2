import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Counted } from "../../../shared/runtime/queue/queue-port.ts";
import type { LedgerLimits } from "../limits.ts";
import { ExpiringMap } from "./expiring-map.ts";
import type { Entry, LedgerEntries } from "./ledger-entries.ts";
import { mostUrgent, type Wish } from "./wish.ts";

interface PlaceOptions {
  readonly onCount: (counted: Counted) => void;
  readonly limits: LedgerLimits;
}

/**
 * Places a key that is not running: waiting, ready or idle; never ready before its floor. Part of the ledger,
 * whose table (ledger.ts) says when; `lua/place.lua` does the same on Redis.
 */
export class LedgerPlaces {
  readonly #entries: LedgerEntries;
  readonly #options: PlaceOptions;
  readonly #floors = new ExpiringMap<number>();

  constructor(entries: LedgerEntries, options: PlaceOptions) {
    this.#entries = entries;
    this.#options = options;
  }

  keepFloor(now: number, key: Key, floor: number): void {
    if (floor > now) this.#floors.set(now, key, { value: floor, until: floor });
  }

  place(now: number, entry: Entry, due: number): void {
    entry.lease = undefined;
    entry.pending = undefined;
    const at = Math.max(due, this.#floors.get(now, entry.key) ?? 0);
    if (at > now) {
      this.#entries.move(entry, "waiting", at);
    } else {
      this.#entries.move(
        entry,
        "ready",
        entry.class === "resync" ? now + this.#options.limits.agingMs : undefined,
      );
      entry.readyAt = now;
    }
  }

  /** Places a key after a run that did not fail: at the earlier of `wanted` and the pending event, else idle. */
  next(now: number, entry: Entry, wanted: number | undefined): void {
    const { pending } = entry;
    if (pending !== undefined) {
      entry.class = wanted === undefined ? pending.class : mostUrgent(entry.class, pending.class);
      const due = Math.min(pending.due, wanted ?? pending.due);
      if (entry.deadSince !== undefined && entry.class === "live") this.revive(now, entry, due);
      else this.place(now, entry, due);
    } else if (wanted !== undefined) {
      this.place(now, entry, wanted);
    } else {
      this.#entries.delete(entry);
    }
  }

  /** Merges an event into a key that waits or is ready. */
  merge(now: number, entry: Entry, wish: Wish): void {
    this.#options.onCount("coalesced");
    if (wish.class === "live" && entry.deadSince !== undefined) {
      this.#options.onCount("revivedLive");
      entry.failures = 0;
      entry.deadSince = undefined;
    }
    this.#entries.setClass(entry, mostUrgent(entry.class, wish.class));
    // A wish that is due now must not wait for the tick that would find the earlier wish due.
    const sooner = wish.due <= now || wish.due < (entry.wakeAt ?? 0);
    if (entry.state === "waiting" && sooner) this.place(now, entry, wish.due);
  }

  /** Revives a dead key: a live event gives it all its attempts. */
  revive(now: number, entry: Entry, due: number): void {
    this.#options.onCount("revivedLive");
    entry.class = "live";
    entry.failures = 0;
    entry.deadSince = undefined;
    this.place(now, entry, due);
  }
}

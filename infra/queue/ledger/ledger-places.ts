import type { Key } from "../../../shared/runtime/key.ts";
import type { Counted } from "../../../shared/runtime/queue-port.ts";
import type { LedgerLimits } from "../limits.ts";
import { ExpiringMap } from "./expiring-map.ts";
import type { Entry, LedgerEntries } from "./ledger-entries.ts";
import { mostUrgent, type Wish } from "./wish.ts";

interface PlaceOptions {
  readonly onCount: (counted: Counted) => void;
  readonly limits: LedgerLimits;
}

/**
 * Where a key goes that does not run (any more): waiting, ready or idle; never before its floor. Part of the
 * ledger, whose table (ledger.ts) says when; as `lua/place.lua` is of the one on Redis.
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

  /** After a run that did not fail: as soon as it or a pending event wants, else idle. */
  next(now: number, entry: Entry, wanted: number | undefined): void {
    const { pending } = entry;
    if (pending !== undefined) {
      entry.class = wanted === undefined ? pending.class : mostUrgent(entry.class, pending.class);
      this.place(now, entry, Math.min(pending.due, wanted ?? pending.due));
    } else if (wanted !== undefined) {
      this.place(now, entry, wanted);
    } else {
      this.#entries.delete(entry);
    }
  }

  /** An event on a key that waits or is ready. */
  merge(now: number, entry: Entry, wish: Wish): void {
    this.#options.onCount("coalesced");
    if (wish.class === "live" && entry.deadSince !== undefined) {
      this.#options.onCount("revivedLive");
      entry.failures = 0;
      entry.deadSince = undefined;
    }
    this.#entries.setClass(entry, mostUrgent(entry.class, wish.class));
    // A wish that is due now does not wait for the tick that will find the earlier one due.
    const sooner = wish.due <= now || wish.due < (entry.wakeAt ?? 0);
    if (entry.state === "waiting" && sooner) this.place(now, entry, wish.due);
  }

  /** An event on a dead key gives it all its attempts, or one: a probe. */
  revive(now: number, entry: Entry, wish: Wish): void {
    const live = wish.class === "live";
    this.#options.onCount(live ? "revivedLive" : "revivedResync");
    entry.class = wish.class;
    entry.failures = live ? 0 : entry.attempts - 1;
    if (live) entry.deadSince = undefined;
    this.place(now, entry, wish.due);
  }
}

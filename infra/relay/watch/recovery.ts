import { SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { STORAGE_INITIALIZING } from "../../kube/errors.ts";
import { ERROR_EVENT } from "../../kube/watch-stream.ts";
import { createBackoff, type ReconnectBackoff } from "./reconnect-backoff.ts";

/** Reason of a KubeError: a watch was accepted and does not tell what has changed, as behind a proxy that buffers. */
export const SILENT_WATCH = "SilentWatch";

/** Reason of a KubeError: the versions of a server went down, so it was restored or replaced (KR-12). */
const WENT_BACK = "WentBack";

/** Throws KubeError `WentBack` when a server says a version below one that it has said before. */
export function checkForward(seen: string | undefined, now: string): void {
  if (seen === undefined || seen === now || !isAtLeast(seen, now)) return;
  throw wentBack(`the server is at version ${now} after ${seen}: it was restored or replaced`);
}

export function wentBack(message: string): KubeError {
  return new KubeError({ class: "Transient", status: 0, reason: WENT_BACK, message });
}

export function hasGoneBack(error: unknown): boolean {
  return error instanceof KubeError && error.reason === WENT_BACK;
}

/**
 * How a loop lists: as usual; in pages of 50 after an answer that was too large or too deep; after the second by
 * names and versions only, and then each object that has changed by itself (KR-11).
 */
export type ListMode = "pages" | "small pages" | "one by one";

/** What a failure of a watch loop means. */
export interface Verdict {
  /** Of the KubeError, or `Bug`. */
  readonly reason: string;
  /** Before the next attempt. */
  readonly delayMs: number;
  /** Only a list tells what is there. */
  readonly isVoid: boolean;
  /** Nor is what was seen the least that the list must show. */
  readonly isRestored: boolean;
  /** The same reason as last time and nothing was received in between. */
  readonly isRepeated: boolean;
  /** A server that has just got to know the type is not ready for it at once. */
  readonly isNormal: boolean;
  /** Silent twice in a row: the server may be quiet or the line dead (KR-07). */
  readonly isDoubtful: boolean;
  /** Three 404s over 60 s: the server does not serve the type (KR-10). */
  readonly isGone: boolean;
}

const RELIST_SPREAD_MS = 5 * SECOND;
const SHORT_WATCH_MS = SECOND;
const SHORT_WATCHES = 3;
const SILENCES = 2;
/**
 * A watch that does not tell is replaced by lists, one each time that it has been silent for so long; twice as long after
 * each list without news, up to a time in which a sound server has sent a bookmark.
 */
const MUTE_IDLE_MS = 30 * SECOND;
const MAX_MUTE_IDLE_MS = 120 * SECOND;
const ERROR_EVENTS = 2;
/** How much longer than its own lifetime a watch without bookmarks may be silent. */
const BEYOND_LIFETIME_MS = 10 * SECOND;
/** A watch that its server does not end in time is ended here. */
const OVERDUE_MS = 30 * SECOND;
/** A server that is away for longer may be another one when it comes back (KR-12). */
const OUTAGE_MS = 5 * SECOND;
const GONE_AFTER_MS = 60 * SECOND;
/** Longer than a healthy server takes to prepare a new type. */
const INITIALIZING_MS = 30 * SECOND;
const GONE_CONFIRMATIONS = 3;

/** Answers that are more than they may be. */
const OVERSIZED: ReadonlySet<string> = new Set(["TooLarge", "TooDeep"]);
const DAMAGED: ReadonlySet<string> = new Set(["Undecodable", ...OVERSIZED]);
/** Only a list tells what is there. */
const VOID: ReadonlySet<string> = new Set(["Expired", WENT_BACK, SILENT_WATCH, ...DAMAGED]);

/** Everybody's watch ends so when a server restarts: the relists are spread (KR-09). */
const SPREAD: ReadonlySet<string> = new Set(["Expired", WENT_BACK]);

/** Whether an error means that a server sent more than it may (KR-11, S-14). */
export function isOversized(error: unknown): error is KubeError {
  return error instanceof KubeError && OVERSIZED.has(error.reason);
}

/** Whether an error means that a server sent what cannot be used: not JSON, of a wrong shape, or more than it may. */
export function isDamaged(error: unknown): error is KubeError {
  return error instanceof KubeError && DAMAGED.has(error.reason);
}

/** Remembers how a watch loop fared and says how it goes on. */
export class Recovery {
  readonly #random: () => number;
  readonly #backoff: ReconnectBackoff;
  /** Its failures are the oversized answers since a watch last lived to its end. */
  readonly #oversized: ReconnectBackoff;
  readonly #causes = new Map<string, number>();
  #undecodable = 0;
  #shortWatches = 0;
  #silences = 0;
  #bookmarks: "unknown" | "sent" | "never" = "unknown";
  #isMute: boolean = false;
  #muteIdleMs = MUTE_IDLE_MS;
  #newestListed: string | undefined;
  #lastReason: string | undefined;
  #isAway: boolean = false;
  #silentSince: number | undefined;
  #errorEvents = 0;
  #initializingSince: number | undefined;
  #absent: { readonly since: number; readonly count: number } | undefined;

  constructor(random: () => number) {
    this.#random = random;
    this.#backoff = createBackoff(random);
    this.#oversized = createBackoff(random);
  }

  /** Ends of watches and failures so far: by `closed`, or by reason. */
  get reconnects(): { readonly [cause: string]: number } {
    return Object.fromEntries(this.#causes);
  }

  /** Answers that could not be used. */
  get undecodable(): number {
    return this.#undecodable;
  }

  get listMode(): ListMode {
    if (this.#oversized.failures === 0) return "pages";
    return this.#oversized.failures === 1 ? "small pages" : "one by one";
  }

  /** Whether nothing was heard for so long that the server may be another one (KR-12). */
  wasAway(nowMs: number): boolean {
    return this.#silentSince !== undefined && nowMs - this.#silentSince >= OUTAGE_MS;
  }

  /** It is the one that it was. */
  isBack(): void {
    this.#silentSince = undefined;
  }

  /** Longest silence of the next watch, in ms; undefined = what is usual for the server. */
  idleMs(timeoutSeconds: number): number | undefined {
    if (this.#isMute) return this.#muteIdleMs;
    return this.#bookmarks === "never" ? timeoutSeconds * SECOND + BEYOND_LIFETIME_MS : undefined;
  }

  /** After so long a watch that was to live for `timeoutSeconds` is replaced, in ms. */
  overdueMs(timeoutSeconds: number): number {
    return timeoutSeconds * SECOND + OVERDUE_MS;
  }

  /** `newest`: version of the newest object in the list. */
  listed(newest: string | undefined): void {
    this.#absent = undefined;
    this.#silentSince = undefined;
    const isSame = newest === this.#newestListed;
    this.#muteIdleMs = isSame ? Math.min(2 * this.#muteIdleMs, MAX_MUTE_IDLE_MS) : MUTE_IDLE_MS;
    this.#newestListed = newest;
  }

  /** An event or a bookmark has been handled. */
  received(what: "event" | "bookmark"): void {
    if (what === "bookmark") this.#bookmarks = "sent";
    this.#isMute = false;
    this.#errorEvents = 0;
    this.#absent = undefined;
    this.#wellAgain();
  }

  /** The server knows of changes that its watch has not told. Gives the failure that this is. */
  isMute(): KubeError {
    this.#isMute = true;
    // The list that follows is the first in place of a watch.
    this.#newestListed = undefined;
    const often = `every ${MUTE_IDLE_MS / SECOND} s, while nothing changes every ${MAX_MUTE_IDLE_MS / SECOND} s`;
    const message = `the server accepts a watch and does not tell what has changed, as a proxy that buffers does; everything is listed instead, ${often}; let watches pass through`;
    return new KubeError({ class: "Transient", status: 0, reason: SILENT_WATCH, message });
  }

  /** A server that was silent for long answers: it has nothing to say, not even bookmarks. */
  isQuiet(): void {
    if (this.#bookmarks === "unknown") this.#bookmarks = "never";
    this.#wellAgain();
  }

  /** A watch ended cleanly. Throws KubeError `VeryShortWatch` for the third in a row within 1 s of its start. */
  ended(lastedMs: number): void {
    this.#shortWatches = lastedMs < SHORT_WATCH_MS ? this.#shortWatches + 1 : 0;
    if (this.#shortWatches >= SHORT_WATCHES) {
      const message = `${SHORT_WATCHES} watches in a row ended within ${SHORT_WATCH_MS} ms`;
      throw new KubeError({ class: "Transient", status: 0, reason: "VeryShortWatch", message });
    }
    if (this.#shortWatches === 0) {
      this.#wellAgain();
      this.#oversized.reset();
    }
    this.#count("closed");
  }

  /** `heardAt`: when something was received last. */
  failed(error: unknown, nowMs: number, heardAt?: number): Verdict {
    const reason = error instanceof KubeError ? error.reason : "Bug";
    const isNormal = this.#isInitializing(reason, nowMs);
    const isRepeated = reason === this.#lastReason;
    if (!isNormal) this.#lastReason = reason;
    this.#count(reason);
    if (DAMAGED.has(reason)) this.#undecodable += 1;
    if (error instanceof KubeError && error.cause === ERROR_EVENT) this.#errorEvents += 1;
    this.#silences = reason === "Idle" ? this.#silences + 1 : 0;
    // The kernel says when a peer is gone, so a silent one is still there.
    if (reason !== "Idle") this.#silentSince ??= heardAt ?? nowMs;
    const isGone = reason === "TypeNotServed" && this.#isAbsenceConfirmed(nowMs);
    return {
      reason,
      isRepeated,
      isNormal,
      isGone,
      isVoid:
        isGone ||
        VOID.has(reason) ||
        (reason === "Idle" && this.#isMute) ||
        this.#errorEvents >= ERROR_EVENTS,
      isRestored: reason === WENT_BACK,
      isDoubtful: this.#silences >= SILENCES && !this.#isMute,
      delayMs: this.#delayAfter(error, reason, isRepeated),
    };
  }

  #delayAfter(error: unknown, reason: string, isRepeated: boolean): number {
    // A silent line is only replaced.
    if (reason === "Idle" || reason === SILENT_WATCH) return 0;
    if (OVERSIZED.has(reason)) return this.#oversized.next();
    // A server that answers again after an outage, if only that it is starting, is worth asking soon.
    const isAway = error instanceof KubeError && error.status === 0;
    if (this.#isAway && !isAway) this.#backoff.reset();
    this.#isAway = isAway;
    const delay = this.#backoff.next();
    if (error instanceof KubeError && error.retryAfterMs !== undefined) {
      return error.retryAfterMs * (1 + this.#random() / 2);
    }
    return SPREAD.has(reason) && !isRepeated ? this.#random() * RELIST_SPREAD_MS : delay;
  }

  #isInitializing(reason: string, nowMs: number): boolean {
    this.#initializingSince =
      reason === STORAGE_INITIALIZING ? (this.#initializingSince ?? nowMs) : undefined;
    return this.#initializingSince !== undefined && nowMs - this.#initializingSince < INITIALIZING_MS;
  }

  #isAbsenceConfirmed(nowMs: number): boolean {
    const { since, count } = this.#absent ?? { since: nowMs, count: 0 };
    this.#absent = { since, count: count + 1 };
    return count + 1 >= GONE_CONFIRMATIONS && nowMs - since >= GONE_AFTER_MS;
  }

  #wellAgain(): void {
    this.#backoff.reset();
    this.#lastReason = undefined;
    this.#silences = 0;
    this.#silentSince = undefined;
  }

  #count(cause: string): void {
    this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + 1);
  }
}

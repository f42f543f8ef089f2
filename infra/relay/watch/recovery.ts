import { SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { STORAGE_INITIALIZING } from "../../platform/kube/errors.ts";
import { ERROR_EVENT } from "../../platform/kube/watch-stream.ts";

/** Reason of a KubeError: a watch was accepted but does not show changes, as behind a proxy that buffers. */
export const SILENT_WATCH = "SilentWatch";

/** Reason of a KubeError: the versions of a server went down, so it was restored or replaced (KR-12). */
const WENT_BACK = "WentBack";

/** Throws KubeError `WentBack` when a server sends a version below an earlier one. */
export function checkForward(seen: string | undefined, now: string): void {
  if (seen === undefined || seen === now || !isAtLeast(seen, now)) return;
  throw wentBack(`the server went back from version ${seen} to ${now}: it was restored or replaced`);
}

export function wentBack(message: string): KubeError {
  return new KubeError({ class: "Transient", status: 0, reason: WENT_BACK, message });
}

export function hasGoneBack(error: unknown): boolean {
  return error instanceof KubeError && error.reason === WENT_BACK;
}

/**
 * How a loop lists: as usual; in pages of 50 after an answer that was too large or too deep; after the second such
 * answer by names and versions only, and then each changed object by itself (KR-11).
 */
export type ListMode = "pages" | "small pages" | "one by one";

/** The consequence of a failure of a watch loop. */
export interface Verdict {
  /** Reason of the KubeError, or `Bug`. */
  readonly reason: string;
  /** Pause before the next attempt. */
  readonly delayMs: number;
  /** The version is void: only a list shows the objects. */
  readonly isVoid: boolean;
  /** The server was restored: the list may have a lower version, too. */
  readonly isRestored: boolean;
  /** No answer came, or that of a proxy without a server behind it. */
  readonly isAway: boolean;
  /** The same reason as last time, and no event was received in between. */
  readonly isRepeated: boolean;
  /** Normal: a server needs some seconds to prepare a new type, and a new workload server to begin to answer. */
  readonly isNormal: boolean;
  /** No byte came: a server that has nothing to say is well, and the next request finds a dead one. */
  readonly isSilence: boolean;
  /** Silent twice in a row: the server may be quiet or the connection dead (KR-07). */
  readonly isDoubtful: boolean;
  /** Three 404s over 60 s: the server does not serve the type (KR-10). */
  readonly isGone: boolean;
}

const RELIST_SPREAD_MS = 5 * SECOND;
const SHORT_WATCH_MS = SECOND;
const SHORT_WATCHES = 3;
const SILENCES = 2;

/**
 * A watch that does not show changes is replaced by lists, one each time that it has been silent for this long; twice
 * as long after each list without news, up to a time in which a healthy server has sent a bookmark.
 */
const MUTE_IDLE_MS = 30 * SECOND;

const MAX_MUTE_IDLE_MS = 120 * SECOND;
const ERROR_EVENTS = 2;

/** How much longer than its own lifetime a watch without bookmarks may be silent. */
const BEYOND_LIFETIME_MS = 10 * SECOND;

/** A watch that its server does not end in time is ended here. */
const OVERDUE_MS = 30 * SECOND;

/** A server that is away for longer may be another one when it comes back (KR-12). */
const OUTAGE_MS = SECOND;

const GONE_AFTER_MS = 60 * SECOND;

/** Longer than a healthy server takes to prepare a new type. */
const INITIALIZING_MS = 30 * SECOND;

const GONE_CONFIRMATIONS = 3;

/** The codes of a server that ends or starts, and of proxies in front of it. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Answers that exceed their bounds. */
const OVERSIZED: ReadonlySet<string> = new Set(["TooLarge", "TooDeep"]);

const DAMAGED: ReadonlySet<string> = new Set(["Undecodable", ...OVERSIZED]);

/** The errors after which only a list shows the objects. */
const VOID: ReadonlySet<string> = new Set(["Expired", WENT_BACK, SILENT_WATCH, ...DAMAGED]);

/** All watches end like this when a server restarts: the relists are spread (KR-09). */
const SPREAD: ReadonlySet<string> = new Set(["Expired", WENT_BACK]);

/** Returns whether an error means that a server sent more than it may (KR-11, S-14). */
export function isOversized(error: unknown): error is KubeError {
  return error instanceof KubeError && OVERSIZED.has(error.reason);
}

/** Returns whether an error means an answer that cannot be used: not JSON, of a wrong shape, or more than it may be. */
export function isDamaged(error: unknown): error is KubeError {
  return error instanceof KubeError && DAMAGED.has(error.reason);
}

const BASE_MS = 500;
const CAP_MS = 30_000;

interface ReconnectBackoff {
  /** Failures since the last reset. */
  readonly failures: number;
  /**
   * Counts a failure. Returns the pause after it in ms: 0.5 s doubled each time up to 30 s, of which half is jitter.
   */
  next(): number;
  reset(): void;
}

/** Creates the delays between attempts of one watch loop (KR-10). `random` is in [0, 1). */
function createBackoff(random: () => number): ReconnectBackoff {
  let failures = 0;
  return {
    get failures() {
      return failures;
    },
    next() {
      const delay = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 16));
      failures += 1;
      return delay * (0.5 + random() / 2);
    },
    reset() {
      failures = 0;
    },
  };
}

/** Notes the failures of a watch loop and decides how it continues. */
export class Recovery {
  readonly #random: () => number;
  readonly #mayBeStarting: boolean;
  readonly #backoff: ReconnectBackoff;
  /** Counts the oversized answers since a watch last lived to its end. */
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
  /** The last failure was not an answer of the server, a silence included. */
  #wasUnanswered: boolean = false;
  #silentSince: number | undefined;
  #errorEvents = 0;
  #initializingSince: number | undefined;
  #absent: { readonly since: number; readonly count: number } | undefined;

  /** `mayBeStarting`: the server may begin to answer after the watch. */
  constructor(random: () => number, mayBeStarting = false) {
    this.#random = random;
    this.#mayBeStarting = mayBeStarting;
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

  /** Returns whether the server was silent for so long that it may be another one (KR-12). */
  wasAway(nowMs: number): boolean {
    return this.#silentSince !== undefined && nowMs - this.#silentSince >= OUTAGE_MS;
  }

  /** Notes that the server is the same as before. */
  isBack(): void {
    this.#silentSince = undefined;
  }

  /** Returns the longest silence of the next watch, in ms; undefined = the default of the server. */
  idleMs(timeoutSeconds: number): number | undefined {
    if (this.#isMute) return this.#muteIdleMs;
    return this.#bookmarks === "never" ? timeoutSeconds * SECOND + BEYOND_LIFETIME_MS : undefined;
  }

  /** Returns after how many ms a watch with a lifetime of `timeoutSeconds` is ended here. */
  overdueMs(timeoutSeconds: number): number {
    return timeoutSeconds * SECOND + OVERDUE_MS;
  }

  /** Notes a list. `newest`: version of its newest object. */
  listed(newest: string | undefined): void {
    this.#absent = undefined;
    this.#silentSince = undefined;
    const isSame = newest === this.#newestListed;
    this.#muteIdleMs = isSame ? Math.min(2 * this.#muteIdleMs, MAX_MUTE_IDLE_MS) : MUTE_IDLE_MS;
    this.#newestListed = newest;
  }

  /** Notes that an event or a bookmark has been handled. */
  received(what: "event" | "bookmark"): void {
    if (what === "bookmark") this.#bookmarks = "sent";
    this.#isMute = false;
    this.#errorEvents = 0;
    this.#absent = undefined;
    this.#wellAgain();
  }

  /** Notes that the watch does not show changes of the server. Returns the failure to recover from. */
  isMute(): KubeError {
    this.#isMute = true;
    // The list that follows is the first in place of a watch.
    this.#newestListed = undefined;
    const often = `every ${MUTE_IDLE_MS / SECOND} s, while nothing changes every ${MAX_MUTE_IDLE_MS / SECOND} s`;
    const message = `the server accepts a watch but does not send changes, as behind a proxy that buffers; everything is listed instead, ${often}; let watches pass through the proxy`;
    return new KubeError({ class: "Transient", status: 0, reason: SILENT_WATCH, message });
  }

  /** Notes that a silent server answers: it is quiet, and may never send bookmarks. */
  isQuiet(): void {
    if (this.#bookmarks === "unknown") this.#bookmarks = "never";
    this.#wellAgain();
  }

  /**
   * Notes that a watch ended cleanly. Throws KubeError `VeryShortWatch` for the third in a row within 1 s of its start.
   */
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

  /** Notes a failure. Returns its consequence. `heardAt`: when an event or a list was received last. */
  failed(error: unknown, nowMs: number, heardAt?: number): Verdict {
    const reason = error instanceof KubeError ? error.reason : "Bug";
    const isStarting = this.#mayBeStarting && reason === "NoAnswer" && heardAt === undefined;
    const isNormal = this.#isInitializing(isStarting || reason === STORAGE_INITIALIZING, nowMs);
    const isRepeated = reason === this.#lastReason;
    if (!isNormal) this.#lastReason = reason;
    this.#count(reason);
    if (DAMAGED.has(reason)) this.#undecodable += 1;
    if (error instanceof KubeError && error.cause === ERROR_EVENT) this.#errorEvents += 1;
    this.#silences = reason === "Idle" ? this.#silences + 1 : 0;
    // Also after a silence: the peer may be a proxy, which stays while the server behind it becomes another one.
    this.#silentSince ??= heardAt ?? nowMs;
    const isGone = reason === "TypeNotServed" && this.#isAbsenceConfirmed(nowMs);
    return {
      reason,
      isRepeated,
      isNormal,
      isSilence: reason === "Idle",
      isGone,
      isVoid:
        isGone ||
        VOID.has(reason) ||
        (reason === "Idle" && this.#isMute) ||
        this.#errorEvents >= ERROR_EVENTS,
      isRestored: reason === WENT_BACK,
      isAway: reason === "NoAnswer" || (error instanceof KubeError && AWAY.has(error.status)),
      isDoubtful: this.#silences >= SILENCES && !this.#isMute,
      delayMs: this.#delayAfter(error, reason, isRepeated),
    };
  }

  #delayAfter(error: unknown, reason: string, isRepeated: boolean): number {
    // A silent watch is only replaced.
    if (reason === "Idle" || reason === SILENT_WATCH) return 0;
    if (OVERSIZED.has(reason)) return this.#oversized.next();
    // A server that answers again after an outage, if only that it is starting, is asked again soon.
    const isUnanswered = error instanceof KubeError && error.status === 0;
    if (this.#wasUnanswered && !isUnanswered) this.#backoff.reset();
    this.#wasUnanswered = isUnanswered;
    const delay = this.#backoff.next();
    if (error instanceof KubeError && error.retryAfterMs !== undefined) {
      return error.retryAfterMs * (1 + this.#random() / 2);
    }
    return SPREAD.has(reason) && !isRepeated ? this.#random() * RELIST_SPREAD_MS : delay;
  }

  #isInitializing(mayBe: boolean, nowMs: number): boolean {
    this.#initializingSince = mayBe ? (this.#initializingSince ?? nowMs) : undefined;
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

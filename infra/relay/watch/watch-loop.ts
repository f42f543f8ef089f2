import type { Kind } from "../../../shared/api/kinds.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { rest } from "../../platform/rest.ts";
import type { Turns } from "../turns.ts";
import type { Budget } from "./budget.ts";
import type { Comeback } from "./comeback.ts";
import { createEcho, type Echo } from "./echo.ts";
import { createLastSeen, type LastSeen } from "./last-seen.ts";
import { createLister, type Lister } from "./lister.ts";
import { createLoopMeter, type LoopMeter } from "./loop-meter.ts";
import { createOpener, type OpenWatch } from "./open-watch.ts";
import { type PendingEvent, type ReadAhead, readAhead } from "./pending-events.ts";
import { Position } from "./position.ts";
import { hasGoneBack, Recovery } from "./recovery.ts";
import type { WatchConsumer } from "./watch-consumer.ts";

/*
 * One loop per (server, kind, selector), KR-04:
 *
 *   listing ──list complete──▶ streaming ──clean end──▶ streaming (same version, at once)
 *      ▲                          │ error                 (three ends within 1 s of their start: an error)
 *      │                          ▼
 *      └──version is void──── backoff ──version still good──▶ streaming
 *
 * A list is a watch that begins with everything (lister.ts), or pages; the watch continues from its version. A loop
 * that resumes begins with `streaming`, once the server is recognised. `stopped` is entered only by disposing. A
 * version is void after a 410, a damaged or huge line, a version that went down, the second ERROR event in a row, or a
 * loss of the read model; after other failures the watch resumes where it was, without a list. recovery.ts decides the
 * consequence of a failure and the pause after it.
 */

export interface WatchLoopOptions {
  /** The name for logs and status: `management machinepools.cluster.x-k8s.io`. */
  readonly name: string;
  readonly client: ServerClient;
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
  readonly consumer: WatchConsumer;
  readonly clock: Clock;
  readonly log: Log;
  /** Limits the lists at once per server (KR-09). */
  readonly lists: Turns;
  /** Shared by the loops of a server. */
  readonly comeback?: Comeback | undefined;
  /** Bounds how much a workload server may send; absent for the management server (KR-20). */
  readonly budget?: Budget | undefined;
  /** The server may begin to answer only after this loop has begun: at first, its silence is not worth a warning. */
  readonly mayBeStarting?: boolean | undefined;
  /** Returns whether the server may end at any time, which is then not worth a warning. */
  readonly isEnding?: (() => boolean) | undefined;
  /** Returns a number in [0, 1). */
  readonly random?: (() => number) | undefined;
}

export interface WatchLoop extends AsyncDisposable {
  /** Loops that do its work together; absent = it does it by itself. */
  readonly parts?: readonly WatchLoop[];
  status(): LoopStatus;
  /** Ends the watch and lists again, because the store has lost delivered objects. */
  relist(): void;
  /** Notes that this process has written an object of the kind: the watch must show this version soon. */
  wrote(resourceVersion: string): void;
}

export function startWatchLoop(options: WatchLoopOptions): WatchLoop {
  return new Loop(options);
}

class Loop implements WatchLoop {
  readonly #options: WatchLoopOptions;
  readonly #recovery: Recovery;
  readonly #meter: LoopMeter;
  readonly #lister: Lister;
  readonly #lastSeen: LastSeen;
  readonly #open: ReturnType<typeof createOpener>;
  readonly #abort = new AbortController();
  readonly #aborted: Promise<void>;
  readonly #running: Promise<void>;
  #watch: OpenWatch | undefined;
  #ahead: ReadAhead | undefined;
  #relistWanted: boolean = false;
  readonly #echo: Echo;
  /** The last attempt found no server. */
  #isAway: boolean = false;
  readonly #leaveComeback: (() => void) | undefined;
  /** The watch has not shown a write. */
  #isMute: boolean = false;
  /** Ends the pause before the next attempt. */
  #resting = new AbortController();
  readonly #position = new Position();
  #state: LoopStatus["state"] = "listing";
  #oversized: string | undefined;
  /** The hand-over of the last list. */
  #handOver: Promise<void> = Promise.resolve();

  constructor(options: WatchLoopOptions) {
    const { clock, random = Math.random, mayBeStarting } = options;
    const { signal } = this.#abort;
    this.#options = options;
    this.#recovery = new Recovery(random, mayBeStarting);
    this.#meter = createLoopMeter(clock);
    this.#open = createOpener({ ...options, random, signal, meter: this.#meter, recovery: this.#recovery });
    this.#lastSeen = createLastSeen(options);
    this.#echo = createEcho({
      clock,
      seen: () => (this.#state === "streaming" ? this.#position.version : undefined),
      onMissing: () => this.#miss(),
    });
    this.#lister = createLister({ ...options, signal, open: this.#open });
    this.#leaveComeback = options.comeback?.join(() => {
      if (this.#isAway) this.#resting.abort();
    });
    this.#aborted = new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    this.#running = this.#run();
  }

  status(): LoopStatus {
    const { reconnects, undecodable } = this.#recovery;
    return {
      name: this.#options.name,
      state: this.#state,
      ...this.#meter.traffic,
      undecodable,
      reconnects,
      resourceVersion: this.#position.version,
      pending: this.#ahead?.pending ?? 0,
      oversized: this.#oversized,
    };
  }

  relist(): void {
    this.#relistWanted = true;
    this.#position.lost();
    this.#watch?.abort();
    this.#resting.abort();
  }

  wrote(resourceVersion: string): void {
    if (!this.#abort.signal.aborted) this.#echo.wrote(resourceVersion);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#echo.stop();
    this.#leaveComeback?.();
    this.#abort.abort();
    this.#resting.abort();
    await this.#running;
    // A list that is stored after this would replace what the next loop of the type has stored.
    await this.#handOver.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    await this.#resume().catch((error: unknown) => this.#recover(error));
    while (!signal.aborted) {
      await this.#attempt()
        .finally(() => this.#endWatch())
        .catch((error: unknown) => (this.#relistWanted || this.#isMute ? undefined : this.#recover(error)));
      if (this.#isMute) await this.#recover(this.#recovery.isMute());
      this.#isMute = false;
    }
    this.#state = "stopped";
  }

  #miss(): void {
    this.#isMute = true;
    this.#watch?.abort();
  }

  #endWatch(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#ahead = undefined;
  }

  async #resume(): Promise<void> {
    const { consumer } = this.#options;
    const kept = await consumer.resume?.();
    if (kept === undefined) return;
    this.#lastSeen.listed(kept.items);
    const isSame = await this.#isRecognised(kept.resourceVersion).catch((error: unknown) => {
      if (!hasGoneBack(error)) throw error;
      this.#position.wentBack();
      return false;
    });
    if (!isSame) return;
    this.#position.resumed(kept.resourceVersion);
    await consumer.resumed?.();
  }

  async #attempt(): Promise<void> {
    if (this.#relistWanted || !(await this.#mayResume())) await this.#inTurn(() => this.#list());
    const from = this.#position.version;
    if (from === undefined || this.#relistWanted || this.#abort.signal.aborted) return;
    // The watch that began with the list continues, or a watch begins at its version: no event is in between (KR-05).
    const following = () => {
      this.#reachedServer();
      this.#options.consumer.following?.();
    };
    if (this.#watch === undefined) this.#watch = this.#open({ resourceVersion: from }, following);
    else following();
    this.#state = "streaming";
    const startedAt = this.#now();
    this.#ahead = readAhead(this.#watch, from, this.#options.clock);
    for await (const events of this.#ahead.groups()) {
      await this.#handle(events);
      if (this.#abort.signal.aborted || this.#relistWanted) return;
    }
    if (this.#isMute) return;
    this.#recovery.ended(this.#now() - startedAt);
  }

  /** Returns whether a watch of the server that answers now may resume where the last watch ended. */
  async #mayResume(): Promise<boolean> {
    if (this.#position.version === undefined) return false;
    return !this.#recovery.wasAway(this.#now()) || this.#isRecognised();
  }

  /** Runs a list in its turn; a server that is slow to answer must not delay the end of the loop. */
  #inTurn<T>(list: () => Promise<T>): Promise<T | undefined> {
    const listing = this.#options.lists.take(list);
    listing.catch(() => undefined);
    return Promise.race([listing, this.#aborted.then(() => undefined)]);
  }

  async #list(): Promise<void> {
    const { consumer } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    this.#state = "listing";
    this.#relistWanted = false;
    this.#position.listing();
    const listed = await this.#lister.list(this.#recovery.listMode, this.#position.seen);
    this.#watch = listed?.watch;
    if (listed === undefined || signal.aborted) return;
    const { items, resourceVersion, oversized } = listed;
    this.#handOver = consumer.listed(items, { resourceVersion, oversized, ...this.#position.news });
    await this.#handOver;
    // Otherwise the store has lost it meanwhile.
    if (!this.#relistWanted) this.#position.listed();
    const newest = this.#lastSeen.listed(items);
    this.#meter.listed();
    this.#logOversized(oversized);
    this.#recovery.listed(newest);
    this.#position.reached(resourceVersion);
  }

  async #handle(events: readonly PendingEvent[]): Promise<void> {
    await handOver(events, this.#options.consumer);
    for (const event of events) {
      this.#lastSeen.handled(event);
      this.#meter.handled(event);
      this.#position.reached(event.upTo);
      this.#recovery.received(event.type === "BOOKMARK" ? "bookmark" : "event");
    }
  }

  /** Handles a failure. Never rejects: only disposing ends a loop. */
  async #recover(error: unknown): Promise<void> {
    const { consumer, log, name, isEnding } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    this.#state = "backoff";
    const verdict = this.#recovery.failed(error, this.#now(), this.#meter.traffic.lastHeardAt);
    if (verdict.isRestored) this.#reachedServer();
    this.#isAway = verdict.isAway;
    this.#position.failed(verdict);
    // One log line per outage and cause; the counters show the repetitions.
    const isExpected = verdict.isNormal || verdict.isSilence || (verdict.isAway && isEnding?.() === true);
    const level = verdict.isRepeated || isExpected ? "debug" : "warn";
    const fields = { loop: name, reason: verdict.reason, error: String(error) };
    log[level](fields, "the watch failed; retrying");
    if (!verdict.isSilence) consumer.failed?.(error);
    if (verdict.isGone) await consumer.gone?.().catch(() => undefined);
    if (!verdict.isDoubtful) return this.#rest(verdict.delayMs);
    await this.#isRecognised().then(
      () => (this.#lastSeen.hasFoundNews ? this.#recover(this.#recovery.isMute()) : this.#recovery.isQuiet()),
      (failure: unknown) => this.#recover(failure),
    );
  }

  #reachedServer(): void {
    if (this.#isAway) this.#options.comeback?.reached();
    this.#isAway = false;
  }

  /** Waits until the time is over, a relist is wanted, another loop has reached the server, or the loop ends. */
  #rest(delayMs: number): Promise<void> {
    this.#resting = new AbortController();
    if (this.#abort.signal.aborted) this.#resting.abort();
    return rest(delayMs, this.#options.clock, this.#resting.signal);
  }

  /**
   * Distinguishes a quiet server from a dead connection and from a restored server, mostly by a list of one (KR-07,
   * KR-12).
   */
  async #isRecognised(seen = this.#position.seen ?? ""): Promise<boolean> {
    const known = await this.#inTurn(() => this.#lastSeen.recognise(seen));
    this.#recovery.isBack();
    return known === true;
  }

  #logOversized(oversized: string | undefined): void {
    const { log, name } = this.#options;
    if (oversized !== undefined && oversized !== this.#oversized) log.warn({ loop: name }, oversized);
    this.#oversized = oversized;
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

/** Hands over a group of events, as `ReadAhead.groups` forms them. */
function handOver(events: readonly PendingEvent[], consumer: WatchConsumer): Promise<void> | undefined {
  const last = events.at(-1);
  if (last === undefined) return undefined;
  if (last.type === "BOOKMARK") return consumer.reached?.(last.upTo);
  if (last.type === "DELETED") return consumer.deleted(last.object, last.upTo);
  const objects = events.map(({ object }) => object);
  return consumer.changed(objects, last.upTo);
}

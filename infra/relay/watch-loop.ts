import type { Kind, KubeObject, ObjectKey } from "../../shared/api/kinds.ts";
import type { Clock, ListOptions, Log, WatchEvent } from "../../shared/runtime/ports.ts";
import type { ServerClient } from "../kube/verbs.ts";
import { listAll } from "./listing.ts";
import { Recovery } from "./recovery.ts";
import { rest } from "./retry.ts";
import type { Turns } from "./turns.ts";

/*
 * One loop per (server, kind, selector), KR-04:
 *
 *   listing ──list complete──▶ streaming ──clean end──▶ streaming (same version, at once)
 *      ▲                          │ error                 (three ends within 1 s of their start: an error)
 *      │                          ▼
 *      └──version is void──── backoff ──version still good──▶ streaming
 *
 * `stopped` is entered only by disposing. Void is a version after 410, a damaged or huge line, the second ERROR event
 * in a row, or when the read model was lost; after anything else the watch resumes where it was, without a list.
 * What a failure means and how long the pause is, recovery.ts decides.
 */
type LoopState = "listing" | "streaming" | "backoff" | "stopped";

/** What a loop tells; it waits for each call, so a slow consumer slows the server down (KR-16). */
export interface WatchConsumer {
  /** What is kept of an object of a list, applied page by page. */
  reduce(object: KubeObject): KubeObject;
  /** What is known of an object, so that it need not be read when objects are listed one by one. */
  stored?(key: ObjectKey): Promise<KubeObject | undefined>;
  /** A complete list replaces what was known. */
  listed(items: readonly KubeObject[], list: CompleteList): Promise<void>;
  changed(event: WatchEvent): Promise<void>;
  /** A bookmark: everything up to this version has been seen. */
  reached?(resourceVersion: string): Promise<void>;
  /** Three 404s over 60 s: the server does not serve the type. */
  gone?(): Promise<void>;
  /** After every failed attempt; must not wait for the loop. */
  failed?(error: unknown): void;
}

interface CompleteList {
  readonly resourceVersion: string;
  /** Nothing of it was known before: the first list of this loop, or the first after a loss. */
  readonly first: boolean;
  /** The server sends more than it may: what is missing for that reason (KR-11). */
  readonly oversized: string | undefined;
}

export interface WatchLoopOptions {
  /** For logs and status: `management machinepools.cluster.x-k8s.io`. */
  readonly name: string;
  readonly client: ServerClient;
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
  readonly consumer: WatchConsumer;
  readonly clock: Clock;
  readonly log: Log;
  /** At most so many lists at once per server (KR-09). */
  readonly lists: Turns;
  /** In [0, 1). */
  readonly random?: (() => number) | undefined;
}

export interface LoopStatus {
  readonly name: string;
  readonly state: LoopState;
  readonly lists: number;
  readonly events: number;
  readonly undecodable: number;
  /** By cause: `closed`, or the reason of the error. */
  readonly reconnects: { readonly [cause: string]: number };
  readonly resourceVersion: string | undefined;
  /** Answers are too large: what the last list left out, as text for a person. */
  readonly oversized: string | undefined;
  /** Last event, bookmark or list, ms since epoch; undefined before the first. */
  readonly lastHeardAt: number | undefined;
}

export interface WatchLoop extends AsyncDisposable {
  status(): LoopStatus;
  /** Ends the watch and lists again, because what was delivered has been lost. */
  relist(): void;
}

export function startWatchLoop(options: WatchLoopOptions): WatchLoop {
  return new Loop(options);
}

class Loop implements WatchLoop {
  readonly #options: WatchLoopOptions;
  readonly #random: () => number;
  readonly #recovery: Recovery;
  readonly #abort = new AbortController();
  readonly #aborted: Promise<void>;
  readonly #counts = { lists: 0, events: 0 };
  readonly #running: Promise<void>;
  #watching = new AbortController();
  #relistWanted: boolean = false;
  /** Of what the next list says nothing is known. */
  #isFirst: boolean = true;
  #state: LoopState = "listing";
  #version: string | undefined;
  #lastHeardAt: number | undefined;
  #oversized: string | undefined;

  constructor(options: WatchLoopOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#recovery = new Recovery(this.#random);
    const { signal } = this.#abort;
    this.#aborted = new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    this.#running = this.#run();
  }

  status(): LoopStatus {
    const { reconnects, undecodable } = this.#recovery;
    return {
      name: this.#options.name,
      state: this.#state,
      ...this.#counts,
      undecodable,
      reconnects,
      resourceVersion: this.#version,
      oversized: this.#oversized,
      lastHeardAt: this.#lastHeardAt,
    };
  }

  relist(): void {
    this.#relistWanted = true;
    this.#isFirst = true;
    this.#watching.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      await this.#attempt().catch((error: unknown) =>
        this.#relistWanted ? undefined : this.#recover(error),
      );
    }
    this.#state = "stopped";
  }

  async #attempt(): Promise<void> {
    if (this.#version === undefined || this.#relistWanted) await this.#inTurn(() => this.#list());
    if (this.#version !== undefined && !this.#abort.signal.aborted) await this.#stream(this.#version);
  }

  /** A server that takes its time with a list must not hold up the end of the loop. */
  async #inTurn(list: () => Promise<void>): Promise<void> {
    const listing = this.#options.lists.take(list);
    await Promise.race([listing, this.#aborted]);
    listing.catch(() => undefined);
  }

  async #list(): Promise<void> {
    const { consumer } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    this.#state = "listing";
    this.#relistWanted = false;
    this.#version = undefined;
    const listing = await listAll({ ...this.#options, signal }, this.#recovery.listMode);
    if (listing === undefined || signal.aborted) return;
    const { items, resourceVersion, oversized } = listing;
    await consumer.listed(items, { resourceVersion, oversized, first: this.#isFirst });
    // Otherwise it was lost again meanwhile.
    if (!this.#relistWanted) this.#isFirst = false;
    this.#counts.lists += 1;
    this.#tellOversized(oversized);
    this.#recovery.listed();
    this.#heard(resourceVersion);
  }

  async #stream(from: string): Promise<void> {
    const { client, kind, selector = {}, consumer } = this.#options;
    this.#watching = new AbortController();
    if (this.#relistWanted) return;
    this.#state = "streaming";
    const startedAt = this.#now();
    const timeoutSeconds = 300 + Math.floor(this.#random() * 301);
    const idleMs = this.#recovery.idleMs(timeoutSeconds);
    const watch = { ...selector, resourceVersion: from, timeoutSeconds, idleMs };
    const signal = AbortSignal.any([this.#abort.signal, this.#watching.signal]);
    for await (const event of client.watch(kind, watch, signal)) {
      const reached = event.object.metadata.resourceVersion ?? from;
      const isBookmark = event.type === "BOOKMARK";
      if (isBookmark) await consumer.reached?.(reached);
      else await consumer.changed(event);
      if (!isBookmark) this.#counts.events += 1;
      this.#heard(reached);
      this.#recovery.received(isBookmark ? "bookmark" : "event");
    }
    this.#recovery.ended(this.#now() - startedAt);
  }

  /** Never rejects: a loop ends by disposing only. */
  async #recover(error: unknown): Promise<void> {
    const { consumer, clock, log, name } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    this.#state = "backoff";
    const verdict = this.#recovery.failed(error, this.#now());
    if (verdict.isVoid) this.#version = undefined;
    // One line per outage and cause; the counters know the rest.
    const level = verdict.isRepeated ? "debug" : "warn";
    const { reason } = verdict;
    log[level]({ loop: name, reason, error: String(error) }, "the watch failed and is tried again");
    consumer.failed?.(error);
    if (verdict.isGone) await consumer.gone?.().catch(() => undefined);
    if (verdict.isDoubtful) {
      await this.#askForLife().catch((failure: unknown) => this.#recover(failure));
      return;
    }
    await rest(verdict.delayMs, clock, signal);
  }

  /** A list of one object tells a quiet server from a dead line (KR-07). What it says is not used. */
  async #askForLife(): Promise<void> {
    const { client, kind, selector = {} } = this.#options;
    await this.#inTurn(async () => {
      for await (const _page of client.pages(kind, { ...selector, pageItems: 1 })) break;
    });
    this.#recovery.isQuiet();
  }

  #tellOversized(oversized: string | undefined): void {
    const { log, name } = this.#options;
    if (oversized !== undefined && oversized !== this.#oversized) log.warn({ loop: name }, oversized);
    this.#oversized = oversized;
  }

  #heard(resourceVersion: string): void {
    this.#version = resourceVersion;
    this.#lastHeardAt = this.#now();
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/runtime/backoff.ts";
import { KubeError } from "../../shared/runtime/errors.ts";
import type { Clock, ListOptions, Log, WatchEvent } from "../../shared/runtime/ports.ts";
import type { ServerClient } from "../kube/verbs.ts";
import { ERROR_EVENT } from "../kube/watch-stream.ts";
import { createBackoff, type ReconnectBackoff } from "./reconnect-backoff.ts";
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
 * `stopped` is entered only by disposing. Void is a version after 410, a damaged or huge line, or the second ERROR
 * event in a row; after anything else the watch resumes where it was, without a list.
 */
type LoopState = "listing" | "streaming" | "backoff" | "stopped";

/** What a loop tells; it waits for each call, so a slow consumer slows the server down (KR-16). */
export interface WatchConsumer {
  /** What is kept of an object of a list, applied page by page. */
  reduce(object: KubeObject): KubeObject;
  /** A complete list replaces what was known. `first`: the first one of this loop. */
  listed(
    items: readonly KubeObject[],
    list: { readonly resourceVersion: string; readonly first: boolean },
  ): Promise<void>;
  changed(event: WatchEvent): Promise<void>;
  /** A bookmark: everything up to this version has been seen. */
  reached?(resourceVersion: string): Promise<void>;
  /** Three 404s over 60 s: the server does not serve the type. */
  gone?(): Promise<void>;
  /** After every failed attempt; must not wait for the loop. */
  failed?(error: unknown): void;
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
  /** Last event, bookmark or list, ms since epoch; undefined before the first. */
  readonly lastHeardAt: number | undefined;
}

export interface WatchLoop extends AsyncDisposable {
  status(): LoopStatus;
  /** Ends the watch and lists again, because what was delivered has been lost. */
  relist(): void;
}

const RELIST_SPREAD_MS = 5 * SECOND;
const SHORT_WATCH_MS = SECOND;
const SHORT_WATCHES = 3;
const GONE_AFTER_MS = 60 * SECOND;
const GONE_CONFIRMATIONS = 3;

export function startWatchLoop(options: WatchLoopOptions): WatchLoop {
  return new Loop(options);
}

/** An error after which the version is void: only a list tells what is there. */
const VOIDING: ReadonlySet<string> = new Set(["Expired", "Undecodable", "TooLarge"]);

class Loop implements WatchLoop {
  readonly #options: WatchLoopOptions;
  readonly #random: () => number;
  readonly #backoff: ReconnectBackoff;
  readonly #abort = new AbortController();
  readonly #aborted: Promise<void>;
  readonly #reconnects = new Map<string, number>();
  readonly #counts = { lists: 0, events: 0, undecodable: 0 };
  readonly #running: Promise<void>;
  #watching = new AbortController();
  #relistWanted: boolean = false;
  #state: LoopState = "listing";
  #version: string | undefined;
  #lastHeardAt: number | undefined;
  #shortWatches = 0;
  /** Of the last failure, until something was received. */
  #lastReason: string | undefined;
  #errorEvents = 0;
  #absent: { readonly since: number; readonly count: number } | undefined;

  constructor(options: WatchLoopOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#backoff = createBackoff(this.#random);
    const { signal } = this.#abort;
    this.#aborted = new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    this.#running = this.#run();
  }

  status(): LoopStatus {
    return {
      name: this.#options.name,
      state: this.#state,
      ...this.#counts,
      reconnects: Object.fromEntries(this.#reconnects),
      resourceVersion: this.#version,
      lastHeardAt: this.#lastHeardAt,
    };
  }

  relist(): void {
    this.#relistWanted = true;
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
      if (this.#relistWanted) this.#version = undefined;
      this.#relistWanted = false;
    }
    this.#state = "stopped";
  }

  async #attempt(): Promise<void> {
    if (this.#version === undefined) {
      const listing = this.#options.lists.take(() => this.#list());
      // A server that takes its time with a list must not hold up the end of the loop.
      await Promise.race([listing, this.#aborted]);
      listing.catch(() => undefined);
    }
    if (this.#version !== undefined && !this.#abort.signal.aborted) await this.#stream(this.#version);
  }

  async #list(): Promise<void> {
    const { client, kind, selector = {}, consumer } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    this.#state = "listing";
    const first = this.#counts.lists === 0;
    let items: KubeObject[] = [];
    let resourceVersion = "";
    for await (const page of client.pages(kind, selector)) {
      if (signal.aborted) return;
      if (page.first) items = [];
      for (const item of page.items) items.push(consumer.reduce(item));
      ({ resourceVersion } = page);
    }
    await consumer.listed(items, { resourceVersion, first });
    this.#counts.lists += 1;
    this.#heard(resourceVersion);
  }

  async #stream(from: string): Promise<void> {
    const { client, kind, selector = {}, consumer, name } = this.#options;
    this.#state = "streaming";
    const startedAt = this.#now();
    const timeoutSeconds = 300 + Math.floor(this.#random() * 301);
    const watch = { ...selector, resourceVersion: from, timeoutSeconds };
    this.#watching = new AbortController();
    const signal = AbortSignal.any([this.#abort.signal, this.#watching.signal]);
    for await (const event of client.watch(kind, watch, signal)) {
      const reached = event.object.metadata.resourceVersion ?? from;
      if (event.type === "BOOKMARK") await consumer.reached?.(reached);
      else await consumer.changed(event);
      if (event.type !== "BOOKMARK") this.#counts.events += 1;
      this.#heard(reached);
      this.#recovered();
      this.#errorEvents = 0;
    }
    this.#shortWatches = this.#now() - startedAt < SHORT_WATCH_MS ? this.#shortWatches + 1 : 0;
    if (this.#shortWatches >= SHORT_WATCHES) throw veryShort(name);
    if (this.#shortWatches === 0) this.#recovered();
    this.#count("closed");
  }

  /** Never rejects: a loop ends by disposing only. */
  async #recover(error: unknown): Promise<void> {
    const { consumer, clock, log, name } = this.#options;
    const { signal } = this.#abort;
    if (signal.aborted) return;
    const reason = error instanceof KubeError ? error.reason : "Bug";
    this.#state = "backoff";
    this.#count(reason);
    if (reason === "Undecodable" || reason === "TooLarge") this.#counts.undecodable += 1;
    if (error instanceof KubeError && error.cause === ERROR_EVENT) this.#errorEvents += 1;
    if (VOIDING.has(reason) || this.#errorEvents >= 2) this.#version = undefined;
    // One line per outage and cause; the counters know the rest.
    const level = reason === this.#lastReason ? "debug" : "warn";
    log[level]({ loop: name, reason, error: String(error) }, "the watch failed and is tried again");
    consumer.failed?.(error);
    if (reason === "TypeNotServed") await this.#confirmAbsence().catch(() => undefined);
    await rest(this.#delayAfter(reason, error), clock, signal);
  }

  #delayAfter(reason: string, error: unknown): number {
    const repeated = reason === this.#lastReason;
    this.#lastReason = reason;
    const delay = this.#backoff.next();
    if (error instanceof KubeError && error.retryAfterMs !== undefined) {
      return error.retryAfterMs * (1 + this.#random() / 2);
    }
    // Everybody's watch expires when a server restarts: the relists are spread. A silent line is only replaced.
    if (reason === "Expired" && !repeated) return this.#random() * RELIST_SPREAD_MS;
    return reason === "Idle" && !repeated ? 0 : delay;
  }

  async #confirmAbsence(): Promise<void> {
    const { since, count } = this.#absent ?? { since: this.#now(), count: 0 };
    this.#absent = { since, count: count + 1 };
    if (count + 1 < GONE_CONFIRMATIONS || this.#now() - since < GONE_AFTER_MS) return;
    this.#version = undefined;
    await this.#options.consumer.gone?.();
  }

  #recovered(): void {
    this.#backoff.reset();
    this.#lastReason = undefined;
  }

  #heard(resourceVersion: string): void {
    this.#version = resourceVersion;
    this.#lastHeardAt = this.#now();
    this.#absent = undefined;
  }

  #count(cause: string): void {
    this.#reconnects.set(cause, (this.#reconnects.get(cause) ?? 0) + 1);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}

function veryShort(name: string): KubeError {
  const message = `${name}: ${SHORT_WATCHES} watches in a row ended within ${SHORT_WATCH_MS} ms`;
  return new KubeError({ class: "Transient", status: 0, reason: "VeryShortWatch", message });
}

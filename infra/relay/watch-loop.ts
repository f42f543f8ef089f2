import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/runtime/backoff.ts";
import { KubeError } from "../../shared/runtime/errors.ts";
import type { Clock, ListOptions, Log, WatchEvent } from "../../shared/runtime/ports.ts";
import type { ServerClient } from "../kube/client.ts";
import { ERROR_EVENT } from "../kube/watch-stream.ts";
import { createBackoff } from "./reconnect-backoff.ts";
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
export type LoopState = "listing" | "streaming" | "backoff" | "stopped";

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
}

const RELIST_SPREAD_MS = 5 * SECOND;
const SHORT_WATCH_MS = SECOND;
const SHORT_WATCHES = 3;
const GONE_AFTER_MS = 60 * SECOND;
const GONE_CONFIRMATIONS = 3;

export function startWatchLoop(options: WatchLoopOptions): WatchLoop {
  const { client, kind, selector = {}, consumer, clock, log } = options;
  const random = options.random ?? Math.random;
  const abort = new AbortController();
  const { signal } = abort;
  const backoff = createBackoff(random);
  const reconnects = new Map<string, number>();
  const counts = { lists: 0, events: 0, undecodable: 0 };
  let state: LoopState = "listing";
  let version: string | undefined;
  let lastHeardAt: number | undefined;
  let shortWatches = 0;
  let errorEvents = 0;
  let absent: { readonly since: number; count: number } | undefined;

  const now = () => clock.now().getTime();
  const heard = (resourceVersion: string) => {
    version = resourceVersion;
    lastHeardAt = now();
    absent = undefined;
  };

  const list = async () => {
    state = "listing";
    const first = counts.lists === 0;
    let items: KubeObject[] = [];
    let resourceVersion = "";
    for await (const page of client.pages(kind, selector)) {
      if (page.first) items = [];
      for (const item of page.items) items.push(consumer.reduce(item));
      ({ resourceVersion } = page);
      if (signal.aborted) return;
    }
    await consumer.listed(items, { resourceVersion, first });
    counts.lists += 1;
    heard(resourceVersion);
  };

  const stream = async (from: string) => {
    state = "streaming";
    const startedAt = now();
    const timeoutSeconds = 300 + Math.floor(random() * 301);
    const watch = client.watch(kind, { ...selector, resourceVersion: from, timeoutSeconds }, signal);
    for await (const event of watch) {
      const reached = event.object.metadata.resourceVersion ?? from;
      if (event.type === "BOOKMARK") await consumer.reached?.(reached);
      else {
        counts.events += 1;
        await consumer.changed(event);
      }
      heard(reached);
      backoff.reset();
      errorEvents = 0;
    }
    shortWatches = now() - startedAt < SHORT_WATCH_MS ? shortWatches + 1 : 0;
    if (shortWatches >= SHORT_WATCHES) throw veryShort(options.name);
    if (shortWatches === 0) backoff.reset();
    count("closed");
  };
  const count = (cause: string) => reconnects.set(cause, (reconnects.get(cause) ?? 0) + 1);

  const recover = async (error: unknown) => {
    const reason = error instanceof KubeError ? error.reason : "Bug";
    count(reason);
    state = "backoff";
    if (reason === "Undecodable" || reason === "TooLarge") counts.undecodable += 1;
    if (error instanceof KubeError && error.cause === ERROR_EVENT) errorEvents += 1;
    if (reason === "Expired" || reason === "Undecodable" || reason === "TooLarge" || errorEvents >= 2)
      version = undefined;
    log.warn({ loop: options.name, reason, error: String(error) }, "the watch failed and is tried again");
    consumer.failed?.(error);
    if (reason === "TypeNotServed") await confirmAbsence();
    await rest(delayAfter(reason), clock, signal);
  };
  const delayAfter = (reason: string) => {
    const first = backoff.failures === 0;
    const delay = backoff.next();
    // Everybody's watch expires when a server restarts: the relists are spread. A silent line is only replaced.
    if (first && reason === "Expired") return random() * RELIST_SPREAD_MS;
    return first && reason === "Idle" ? 0 : delay;
  };
  const confirmAbsence = async () => {
    absent ??= { since: now(), count: 0 };
    absent.count += 1;
    if (absent.count < GONE_CONFIRMATIONS || now() - absent.since < GONE_AFTER_MS) return;
    version = undefined;
    await consumer.gone?.();
  };

  const attempt = async () => {
    if (version === undefined) await options.lists.take(list);
    if (version !== undefined && !signal.aborted) await stream(version);
  };
  const run = async () => {
    while (!signal.aborted) {
      await attempt().catch((error: unknown) => (signal.aborted ? undefined : recover(error)));
    }
    state = "stopped";
  };
  const running = run();

  return {
    status: () => ({
      name: options.name,
      state,
      ...counts,
      reconnects: Object.fromEntries(reconnects),
      resourceVersion: version,
      lastHeardAt,
    }),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await running;
    },
  };
}

function veryShort(name: string): KubeError {
  const message = `${name}: ${SHORT_WATCHES} watches in a row ended within ${SHORT_WATCH_MS} ms`;
  return new KubeError({ class: "Transient", status: 0, reason: "VeryShortWatch", message });
}

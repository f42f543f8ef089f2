import type { StreamMessage } from "../../api/page.ts";
import { noteServerTime, serverNow } from "./ask.ts";
import { createEventReader } from "./event-reader.ts";
import { identity, onSignIn } from "./session.ts";
import { noteBody, noteError, onTopicsChange, openTopics, readTopics } from "./topics.ts";

/** How current the page is. */
export type Link =
  | { readonly state: "opening" | "live" }
  /** The server or this browser has no place for another stream: the page asks again and again. */
  | { readonly state: "asking"; readonly everyMs: number }
  | { readonly state: "lost"; readonly sinceMs: number };

/** A hidden tab gives its connection back after so long: a browser has six for each server. */
const HIDDEN_MS = 10_000;
/** The server has as many streams as it serves. */
const FULL_ASK_MS = 10_000;
/** The other tabs of this browser have them. */
const CROWDED_ASK_MS = 2_000;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 10_000;
/** The server sends a ping every 15 s. */
const SILENCE_MS = 40_000;
/** Topics of a page come one after the other. */
const SETTLE_MS = 30;

let link: Link = { state: "opening" };
let running = new AbortController();
let settling: ReturnType<typeof setTimeout> | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;
const watchers = new Set<() => void>();

export function currentLink(): Link {
  return link;
}

export function watchLink(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

/** Starts the stream of the topics that the page shows; it follows their changes and the visibility of the tab. */
export function startStream(): void {
  onTopicsChange(restart, () => link.state === "live" && restart());
  onWake(restart);
  onSignIn(() => void readTopics());
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => running.abort(), HIDDEN_MS);
    else if (running.signal.aborted) restart();
  });
  restart();
}

function restart(): void {
  clearTimeout(settling);
  settling = setTimeout(() => {
    running.abort();
    running = new AbortController();
    void stayLinked(running.signal);
  }, SETTLE_MS);
}

async function stayLinked(signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  // A page without topics needs no stream; the first topic starts one.
  while (!signal.aborted && openTopics().length > 0) {
    const end = await inPlace(() => follow(signal));
    if (signal.aborted) return;
    const everyMs = end === undefined ? CROWDED_ASK_MS : FULL_ASK_MS;
    const isAsking = end !== "ended";
    if (isAsking) setLink({ state: "asking", everyMs });
    else if (link.state !== "lost") {
      pauseMs = FIRST_PAUSE_MS;
      setLink({ state: "lost", sinceMs: serverNow() });
    }
    await paused(isAsking ? everyMs : pauseMs * (0.75 + Math.random() / 2), signal);
    pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
    if (!signal.aborted) await readTopics();
  }
}

/** Follows one stream to its end. */
async function follow(signal: AbortSignal): Promise<"ended" | "full"> {
  const query = new URLSearchParams(
    openTopics().flatMap(([name, etag]) => [
      ["topic", name],
      ["seen", etag],
    ]),
  );
  const silence = new AbortController();
  let quiet = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const headers = { ...identity(), Accept: "text/event-stream" };
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(`/api/v1/stream?${query}`, { headers, signal: either, cache: "no-store" });
    if (!response.ok || response.body === null) return response.status === 503 ? "full" : "ended";
    setLink({ state: "live" });
    const read = createEventReader((data) => receive(JSON.parse(data) as StreamMessage));
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(quiet);
      quiet = setTimeout(() => silence.abort(), SILENCE_MS);
      read(text);
    }
  } catch {
    // Cut, refused or silent: the state of the link says so, and the loop tries again.
  } finally {
    clearTimeout(quiet);
  }
  return "ended";
}

function receive(message: StreamMessage): void {
  switch (message.type) {
    case "state":
      noteServerTime(message.body);
      noteBody(message.topic, message.body, message.etag);
      break;
    case "error":
      noteError(message.topic, message.error);
      break;
    case "reset":
      void readTopics();
      break;
    case "end":
      // The session may be over, or the server could not ask: the answers that the loop reads again say which.
      break;
    case "ping":
      noteServerTime(message);
      break;
    default:
      // A newer server may send more.
      message satisfies never;
  }
}

function setLink(next: Link): void {
  if (next.state === link.state) return;
  link = next;
  for (const changed of watchers) changed();
}

function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const LOOK_MS = 2_000;
/** A computer that was busy is less late. */
const ASLEEP_MS = 20_000;

/**
 * Calls back when the computer has slept, or the network is back. A connection of before may be dead without a sign, and
 * would be found silent only much later.
 */
function onWake(woken: () => void): void {
  addEventListener("online", woken);
  let seenAtMs = Date.now();
  setInterval(() => {
    const nowMs = Date.now();
    const isLate = nowMs - seenAtMs > ASLEEP_MS;
    seenAtMs = nowMs;
    // Timers of a hidden tab are late by design.
    if (isLate && !document.hidden) woken();
  }, LOOK_MS);
}

/** A browser has six connections of HTTP/1 for each server, for all of its tabs: one is left for questions. */
const PLACES = 5;
const TAKEN = Symbol("taken");

/**
 * Calls `use` in one of the places for streams that all tabs of this browser share; undefined: each is taken. With
 * HTTP/2 or later one connection has room for all of them.
 */
async function inPlace<T>(use: () => Promise<T>): Promise<T | undefined> {
  if (sharesConnection()) return use();
  for (let place = 0; place < PLACES; place += 1) {
    const options = { ifAvailable: true };
    const result = await navigator.locks.request(`capstan-stream-${place}`, options, async (lock) =>
      lock === null ? TAKEN : use(),
    );
    if (result !== TAKEN) return result;
  }
  return undefined;
}

/** Judges by the protocol that has brought this page: `http/1.1`, `h2`, `h3`. */
function sharesConnection(): boolean {
  const entries = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entries.some(({ nextHopProtocol }) => /^h[23]$/.test(nextHopProtocol));
}

import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { type Api, checked } from "../answers.ts";
import { streamQuerySchema } from "../api/page.ts";
import { HEADERS, type Reply } from "../message.ts";
import { problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import { type ChangeSources, type Changes, followChanges } from "./changes.ts";
import { createSharedAnswers } from "./shared-answers.ts";
import { createStream, type Stream } from "./stream.ts";

/** The streams of all open pages. */
export interface Streams extends Disposable {
  /** Sends head and first messages. Throws the Problem of a malformed query, or of too many streams. */
  open(response: Reply, wanted: WantedStream): Promise<void>;
}

interface WantedStream {
  readonly query: string;
  readonly viewer: Viewer;
  /** Asks again who the viewer is, and what the viewer may see. */
  readonly renew: () => Promise<Viewer>;
}

const MAX_STREAMS = 200;
/** One person has some tabs; the others are for others. */
const MAX_OF_ONE = 50;
const TICK_MS = SECOND;

interface StreamsOptions extends ChangeSources {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Topics are read when hints say that they have changed, at most once a second, by one timer, and once for all viewers
 * who see the same.
 */
export function createStreams(api: Api, { clock, log, ...sources }: StreamsOptions): Streams {
  const open = new Map<Stream, string>();
  const answers = createSharedAnswers(api, { clock, isSent: sources.hints !== undefined });
  let following: Changes | undefined;
  let cancel: (() => void) | undefined;
  const rest = (): void => {
    cancel?.();
    following?.[Symbol.dispose]();
    following = cancel = undefined;
  };
  const tick = (): void => {
    if (open.size === 0) {
      rest();
      return;
    }
    if (following !== undefined) answers.note(following.take());
    for (const stream of open.keys()) void stream.tick();
    cancel = clock.after(TICK_MS, tick);
  };
  /** Nothing is followed while no page is open. */
  const wake = (): void => {
    if (cancel !== undefined) return;
    answers.forget();
    following = followChanges(sources);
    cancel = clock.after(TICK_MS, tick);
  };
  return {
    async open(response, { query, viewer, renew }) {
      const { topic: topics, seen } = topicsOf(query);
      const ofOne = [...open.values()].filter((name) => name === viewer.name).length;
      if (open.size >= MAX_STREAMS || ofOne >= MAX_OF_ONE) {
        throw problem("tooManyStreams", "there are as many streams as this console serves", "ask every 10 s");
      }
      response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
      // A page without news must know that it is connected.
      response.flushHeaders();
      const stream = createStream({ response, viewer, renew, answers, ...live(api, topics, seen), clock });
      wake();
      open.set(stream, viewer.name);
      response.on("close", () => open.delete(stream));
      await stream.tick();
      log.debug({ user: viewer.name, topics: topics.length }, "a stream is open");
    },
    [Symbol.dispose]: rest,
  };
}

/** Returns all without the topics that are answered when a person asks, and not again. */
function live(
  api: Api,
  topics: readonly string[],
  seen: readonly string[],
): { readonly topics: readonly string[]; readonly seen: readonly string[] } {
  const followed = topics
    .map((topic, at) => ({ topic, etag: seen[at] ?? "" }))
    .filter(({ topic }) => !api.isOnce(`/${topic}`));
  return { topics: followed.map(({ topic }) => topic), seen: followed.map(({ etag }) => etag) };
}

function topicsOf(query: string): { readonly topic: readonly string[]; readonly seen: readonly string[] } {
  const given = new URLSearchParams(query);
  const lists = Object.fromEntries([...new Set(given.keys())].map((name) => [name, given.getAll(name)]));
  return checked(streamQuerySchema, lists, "query") as ReturnType<typeof topicsOf>;
}

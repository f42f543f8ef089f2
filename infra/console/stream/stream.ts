import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { StreamMessage } from "../api/page.ts";
import { isGone, type Reply } from "../message.ts";
import { Problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import type { SharedAnswers } from "./shared-answers.ts";

/** The stream of one page. */
export interface Stream {
  /** Sends what has changed. Returns at once while the last call has not ended. */
  tick(): Promise<void>;
}

interface StreamOptions {
  readonly response: Reply;
  readonly viewer: Viewer;
  readonly renew: () => Promise<Viewer>;
  readonly answers: Pick<SharedAnswers, "read">;
  readonly topics: readonly string[];
  /** ETags that the page has, in the order of the topics. */
  readonly seen: readonly string[];
  readonly clock: Clock;
}

/** Bytes that may wait for a reader: while there are more it gets nothing new. */
const MAX_BEHIND_BYTES = 256 * 1024;
/** One large answer over a slow line takes seconds. A page that is cut comes back and gets the newest state. */
const MAX_BEHIND_MS = 10 * SECOND;
const RENEW_MS = MINUTE;
const PING_MS = 15 * SECOND;

export function createStream(options: StreamOptions): Stream {
  const { response, renew, answers, topics, clock } = options;
  const nowMs = () => clock.now().getTime();
  const seen = new Map(topics.map((topic, at) => [topic, options.seen[at] ?? ""]));
  let { viewer } = options;
  let confirmedAtMs = nowMs();
  let sentAtMs = nowMs();
  let behindSinceMs: number | undefined;
  let isBusy = false;

  const send = (text: string): void => {
    if (isGone(response)) return;
    sentAtMs = nowMs();
    response.write(`data: ${text}\n\n`);
  };
  const isBehind = (): boolean => {
    if (response.writableLength <= MAX_BEHIND_BYTES) {
      behindSinceMs = undefined;
      return false;
    }
    behindSinceMs ??= nowMs();
    if (nowMs() - behindSinceMs >= MAX_BEHIND_MS) response.destroy();
    return true;
  };
  const sendMessage = (message: StreamMessage): void => send(JSON.stringify(message));
  const look = async (topic: string): Promise<void> => {
    try {
      const { text, etag } = await answers.read(topic, viewer);
      if (etag === seen.get(topic)) return;
      seen.set(topic, etag);
      // The body is JSON already.
      send(`{"type":"state","topic":${JSON.stringify(topic)},"etag":${JSON.stringify(etag)},"body":${text}}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const version = JSON.stringify(error.body);
      if (version === seen.get(topic)) return;
      seen.set(topic, version);
      sendMessage({ type: "error", topic, error: error.body });
    }
  };
  const confirm = async (): Promise<void> => {
    if (nowMs() - confirmedAtMs < RENEW_MS) return;
    const before = viewer;
    viewer = await renew();
    confirmedAtMs = nowMs();
    if (isSameSight(before, viewer)) return;
    for (const topic of topics) seen.set(topic, "");
    sendMessage({ type: "reset", reason: "the rights of the viewer have changed" });
  };
  return {
    async tick() {
      if (isBusy || isGone(response) || isBehind()) return;
      isBusy = true;
      try {
        await confirm();
        for (const topic of topics) await look(topic);
        if (nowMs() - sentAtMs >= PING_MS) sendMessage({ type: "ping", now: clock.now().toISOString() });
      } catch (error) {
        // The session has ended, or the right to look: nothing more is sent.
        if (error instanceof Problem) sendMessage({ type: "end", error: error.body });
        response.end();
      } finally {
        isBusy = false;
      }
    },
  };
}

function isSameSight({ sight: a }: Viewer, { sight: b }: Viewer): boolean {
  if (a === "all" || b === "all") return a === b;
  return a.size === b.size && [...a].every((namespace) => b.has(namespace));
}

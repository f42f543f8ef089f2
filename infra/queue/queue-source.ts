import { messageOf } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { readCertificates } from "../platform/pki/read-certificates.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { ledgerUrl } from "./ledger-url.ts";
import { problemOfRedisUrl } from "./redis-server/checks.ts";
import type { RedisAddress } from "./redis-server/connection.ts";

/** How a command line names the queue of its process: one of `queue` and `queueFile`. */
export interface QueueFlags {
  readonly queue?: string | undefined;
  /** File with the URL, which is then in no list of processes. */
  readonly queueFile?: string | undefined;
  /** File with the authorities of a `rediss://` server. */
  readonly redisCa?: string | undefined;
  /** The operator accepts a Redis beyond loopback that keeps nothing on disk, or hides whether it does. */
  readonly redisMayLoseData?: boolean | undefined;
}

/** A queue, and how to reach its Redis. */
export interface QueueSource extends Omit<RedisAddress, "url"> {
  /** `memory`, `redis://…`, `rediss://…`, or `sqs://REGION?redis=…`. */
  readonly url: string;
}

const MAX_URL_BYTES = 4_096;

/**
 * Reads URL and authorities now, and again for each new connection; what cannot be used then is logged once, and the
 * last ones stay in use. Throws with the name of a file and its problem, never with its content.
 */
export function openQueueSource(flags: QueueFlags, log: Log): QueueSource {
  const { queue, queueFile, redisCa, redisMayLoseData: mayLoseData } = flags;
  const read = (): Pick<QueueSource, "url" | "ca"> => ({
    url: queueFile === undefined ? (queue ?? "memory") : readQueueFile(queueFile),
    ca: redisCa === undefined ? undefined : readCertificates(redisCa).text,
  });
  let current = read();
  if (current.ca !== undefined && !ledgerUrl(current.url).startsWith("rediss:")) {
    throw new Error(`${redisCa}: authorities are for a Redis with TLS; name it by rediss://HOST:PORT`);
  }
  const fixed: Omit<QueueSource, "url"> = { connections: new Set(), mayLoseData };
  if (queueFile === undefined && redisCa === undefined) return { ...current, ...fixed };
  let problem: string | undefined;
  const follow = (): void => {
    try {
      const next = read();
      demandSameServer(current.url, next.url, queueFile);
      current = next;
      problem = undefined;
    } catch (error) {
      const found = messageOf(error);
      if (found !== problem) log.warn({ error: found }, "the last address of the queue stays in use");
      problem = found;
    }
  };
  return {
    ...current,
    ...fixed,
    newest: () => {
      follow();
      return { url: ledgerUrl(current.url), ca: current.ca };
    },
  };
}

/** Returns how to reach the Redis of a queue; `memory` has none. */
export function redisOf(source: QueueSource): RedisAddress | undefined {
  const { ca, newest, connections, mayLoseData } = source;
  const url = ledgerUrl(source.url);
  return url === "memory" ? undefined : { url, ca, newest, connections, mayLoseData };
}

/** In two parts: whole, it would be hidden as credentials are. */
const EXAMPLE =
  "rediss://HOST:6379 or sqs://REGION?redis=rediss://HOST:6379, with USER:PASSWORD@ before the host of Redis";

/** Returns the URL in a file: one line. */
function readQueueFile(file: string): string {
  const problem = (text: string) => new Error(`${file}: ${text}`);
  const text = readSmallFile(file, MAX_URL_BYTES).replace(/\r?\n$/, "");
  if (text === "") throw problem(`it is empty; write ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(text)) throw problem("it holds a line break or a blank; write one URL in one line");
  const redis = attempt(() => ledgerUrl(text));
  if (redis === undefined) throw problem(`it holds no queue; write ${EXAMPLE}`);
  const wrong =
    redis === "memory"
      ? "is memory, which no other process shares; write that of a Redis"
      : problemOfRedisUrl(redis);
  if (wrong !== undefined) throw problem(`the URL in it ${wrong}`);
  return text;
}

/** Another server has other data, and may belong to another management cluster: only a start takes it. */
function demandSameServer(before: string, after: string, file = ""): void {
  const serverOf = (url: string) => {
    const { protocol, host, pathname } = new URL(ledgerUrl(url));
    return `${protocol}//${host}${pathname}`;
  };
  const isSame = before === after || (isSqs(before) === isSqs(after) && serverOf(before) === serverOf(after));
  if (!isSame) throw new Error(`${file}: it names another server now; restart this process to use it`);
}

function isSqs(url: string): boolean {
  return url.startsWith("sqs:");
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

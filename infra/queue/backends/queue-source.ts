import { messageOf } from "../../../shared/function/errors.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import { readCertificates } from "../../platform/pki/read-certificates.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";
import { type QueueSource, redisUrlOf, schemeOf } from "./open.ts";
import { problemOfRedisUrl } from "./redis/server/checks.ts";

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
  if (current.ca !== undefined && redisUrlOf(current.url)?.startsWith("rediss:") !== true) {
    throw new Error(`${redisCa}: authorities are for a Redis with TLS; name it by rediss://HOST:PORT`);
  }
  const fixed: Omit<QueueSource, "url"> = { connections: new Set(), mayLoseData };
  if (queueFile === undefined && redisCa === undefined) return { ...current, ...fixed };
  let problem: string | undefined;
  const follow = (): void => {
    try {
      const next = read();
      requireSameServer(current.url, next.url, queueFile);
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
      return { url: redisUrlOf(current.url) ?? "", ca: current.ca };
    },
  };
}

/** An example in two parts: whole, it would be hidden as credentials are. */
const EXAMPLE =
  "rediss://HOST:6379 or sqs://REGION?redis=rediss://HOST:6379, with USER:PASSWORD@ before the host of Redis";

/** Returns the URL in a file: one line. */
function readQueueFile(file: string): string {
  const problem = (text: string) => new Error(`${file}: ${text}`);
  const text = readSmallFile(file, MAX_URL_BYTES).replace(/\r?\n$/, "");
  if (text === "") throw problem(`it is empty; write ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(text)) throw problem("it holds a line break or a blank; write one URL in one line");
  const found = attempt(() => ({ redis: redisUrlOf(text), ...schemeOf(text).capabilities }));
  if (found === undefined) throw problem(`it holds no queue; write ${EXAMPLE}`);
  const wrong = found.isShared
    ? problemOfRedisUrl(found.redis ?? "")
    : `is ${text}, which no other process shares; write that of a Redis`;
  if (wrong !== undefined) throw problem(`the URL in it ${wrong}`);
  return text;
}

/** Another server has other data, and may belong to another management cluster: only a start takes it. */
function requireSameServer(before: string, after: string, file = ""): void {
  const serverOf = (url: string) => {
    const { protocol, host, pathname, search } = new URL(redisUrlOf(url) ?? url);
    return `${protocol}//${host}${pathname}${search}`;
  };
  const isSame =
    before === after || (schemeOf(before) === schemeOf(after) && serverOf(before) === serverOf(after));
  if (!isSame) throw new Error(`${file}: it names another server now; restart this process to use it`);
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

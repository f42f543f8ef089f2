import type { IncomingMessage } from "node:http";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { KubeError } from "../../shared/runtime/errors.ts";
import type { Clock, WatchEvent } from "../../shared/runtime/ports.ts";
import { errorOfEvent, noAnswer, type RequestSubject, undecodable } from "./errors.ts";

const NEWLINE = 0x0a;
/** KR-11. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** `cause` of a KubeError that the server sent as an ERROR event inside a running stream (KR-10). */
export const ERROR_EVENT = "ERROR event";

/**
 * Events of a watch from the bytes of its body: newline-delimited JSON, split as bytes so that a chunk border inside
 * a character does no harm. A stream that ends within a line throws `NoAnswer`: nothing of that line was handled.
 * Throws KubeError: `Undecodable`, `TooLarge`, what `check` throws, or what an ERROR event says, with `ERROR_EVENT`
 * as cause.
 */
export async function* decodeEvents(
  chunks: AsyncIterable<Buffer>,
  subject: RequestSubject,
  check: (event: unknown, bytes: number) => void,
): AsyncGenerator<WatchEvent> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      const line = pending.length === 0 ? rest : Buffer.concat([...pending, rest]);
      pending = [];
      pendingBytes = 0;
      const parsed = parseLine(line, subject);
      if (parsed === undefined) continue;
      check(parsed, line.length);
      yield eventOf(parsed, subject);
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > MAX_LINE_BYTES) throw tooLarge(subject);
  }
  if (pending.some((part) => part.some((byte) => byte > 0x20))) {
    throw noAnswer("", subject, "the stream ended within a line");
  }
}

/** Undefined for an empty line. */
function parseLine(line: Buffer, subject: RequestSubject): unknown {
  if (line.length > MAX_LINE_BYTES) throw tooLarge(subject);
  const text = line.toString("utf8");
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw undecodable(subject, "a line of the watch is not JSON");
  }
}

function eventOf(parsed: unknown, subject: RequestSubject): WatchEvent {
  const { type, object } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as {
    readonly type?: unknown;
    readonly object?: KubeObject;
  };
  switch (type) {
    case "ERROR":
      throw errorOfEvent(object, subject, ERROR_EVENT);
    case "BOOKMARK":
      if (isText((object?.metadata as KubeObject["metadata"] | undefined)?.resourceVersion))
        return { type, object: object as KubeObject };
      break;
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      if (object !== undefined && isComplete(object)) return { type, object };
      break;
  }
  throw undecodable(subject, "a line of the watch is no event with an object");
}

/** Whether an object carries what the read model needs to know it by: name, uid and version. */
function isComplete(object: KubeObject): boolean {
  const { name, uid, resourceVersion } = (object.metadata as KubeObject["metadata"] | undefined) ?? {};
  return isText(name) && isText(uid) && isText(resourceVersion);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function tooLarge(subject: RequestSubject) {
  return undecodable(subject, `a line of the watch is longer than ${MAX_LINE_BYTES} bytes`, "TooLarge");
}

/** Chunks of a body; throws KubeError `Idle` after `idleMs` without one. Time spent by the consumer does not count. */
export async function* limitSilence(
  stream: IncomingMessage,
  idleMs: number,
  clock: Clock,
): AsyncGenerator<Buffer> {
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let silent = false;
  for (;;) {
    const cancel = clock.after(idleMs, () => {
      silent = true;
      stream.destroy();
    });
    let next: IteratorResult<Buffer>;
    try {
      next = await chunks.next();
    } catch (error) {
      if (!silent) throw error;
      break;
    } finally {
      cancel();
    }
    if (next.done === true) break;
    yield next.value;
  }
  if (!silent) return;
  throw new KubeError({
    class: "Transient",
    status: 0,
    reason: "Idle",
    message: `watch: no byte for ${idleMs} ms`,
  });
}

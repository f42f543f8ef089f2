import { pipeline, Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock, WatchEvent } from "../../../shared/runtime/ports.ts";
import { type Decoding, parseAnswer } from "./answer.ts";
import { errorOfEvent, noAnswer, type RequestSubject, undecodable } from "./errors.ts";
import { problemOf } from "./kind-shapes.ts";
import type { StreamedAnswer } from "./transport.ts";

/** KR-11. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;

/** `cause` of a KubeError that the server sent as an ERROR event inside a running stream (KR-10). */
export const ERROR_EVENT = "ERROR event";

/** A watch event with its length. */
export type ReceivedEvent = WatchEvent & { readonly bytes: number };

interface StreamDecoding extends Decoding {
  /** Called with the length of each chunk before its events are decoded; the next is read only afterwards (KR-20). */
  received?: ((bytes: number) => Promise<void>) | undefined;
}

/**
 * Decodes the events of a watch from the bytes of its body: JSON objects, each in one line, in several, or side by side,
 * as Kubernetes' own client takes them. Bytes, so that a chunk border inside a character does no harm. A stream that
 * ends within an object throws `NoAnswer`: nothing of it was handled. Throws KubeError: `Undecodable`, `TooLarge`, or the
 * failure in an ERROR event, with `ERROR_EVENT` as cause.
 */
export async function* decodeEvents(
  chunks: AsyncIterable<Buffer>,
  subject: RequestSubject,
  { received, ...decoding }: StreamDecoding,
): AsyncGenerator<ReceivedEvent> {
  const open = new OpenObject(subject);
  for await (const chunk of chunks) {
    await received?.(chunk.length);
    let start = 0;
    for (let end = open.endIn(chunk, start); end >= 0; end = open.endIn(chunk, start)) {
      const bytes = open.complete(chunk.subarray(start, end));
      start = end;
      const parsed = await parseAnswer(bytes.toString("utf8"), subject, decoding);
      if (parsed === undefined) throw notJson(subject);
      yield { ...eventOf(parsed, subject), bytes: bytes.length };
      await decoding.pause();
    }
    if (open.isBegun) open.add(chunk.subarray(start));
  }
  if (open.isBegun) throw noAnswer("", subject, "the stream ended within an event");
}

const [QUOTE, BACKSLASH, FIRST_PRINTABLE] = [0x22, 0x5c, 0x21];
const OPENING: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number | undefined> = new Set([0x7d, 0x5d]);

function notJson(subject: RequestSubject): KubeError {
  return undecodable(subject, "an event of the watch is not JSON");
}

/** The beginning of an object. It is copied: a server may send it byte by byte, and buffers are large beside a byte. */
class OpenObject {
  readonly #subject: RequestSubject;
  #held = Buffer.alloc(0);
  #length = 0;
  #depth = 0;
  #isInText: boolean = false;
  #isEscaped: boolean = false;

  constructor(subject: RequestSubject) {
    this.#subject = subject;
  }

  get isBegun(): boolean {
    return this.#depth > 0;
  }

  /** Returns the index behind the object that ends first in a chunk; -1 where it ends in a later one. */
  endIn(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#isInText) this.#readText(byte);
      else if (byte >= FIRST_PRINTABLE && this.#endsWith(byte)) return at + 1;
    }
    return -1;
  }

  #readText(byte: number): void {
    if (byte < FIRST_PRINTABLE - 1) throw notJson(this.#subject);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  #endsWith(byte: number): boolean {
    if (OPENING.has(byte)) this.#depth += 1;
    else if (this.#depth === 0) throw notJson(this.#subject);
    else if (byte === QUOTE) this.#isInText = true;
    else if (CLOSING.has(byte)) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > MAX_EVENT_BYTES) {
      const what = `an event of the watch is longer than ${MAX_EVENT_BYTES} bytes`;
      throw undecodable(this.#subject, what, "TooLarge");
    }
    if (length > this.#held.length) {
      const wider = Buffer.alloc(Math.max(length, 2 * this.#held.length));
      this.#held.copy(wider, 0, 0, this.#length);
      this.#held = wider;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }

  /** Returns the object of which `rest` is the end; valid until more is added. */
  complete(rest: Buffer): Buffer {
    if (this.#length === 0 && rest.length <= MAX_EVENT_BYTES) return rest;
    this.add(rest);
    const bytes = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}

function eventOf(parsed: unknown, subject: RequestSubject): WatchEvent {
  const { type, object } = (typeof parsed === "object" && parsed !== null ? parsed : {}) as {
    readonly type?: unknown;
    readonly object?: unknown;
  };
  switch (type) {
    case "ERROR":
      throw errorOfEvent(object, subject, ERROR_EVENT);
    case "BOOKMARK":
      if (isText(metadataOf(object)["resourceVersion"])) return { type, object: object as KubeObject };
      break;
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: completeObject(object, subject) };
  }
  throw undecodable(subject, "an event of the watch has no known type or no object");
}

/**
 * Returns the object. Throws KubeError when its name or version is missing: the read model needs them. A server without
 * uids, as upstream's in-memory one, distinguishes an object by its version alone.
 */
function completeObject(object: unknown, subject: RequestSubject): KubeObject {
  const problem = problemOf(object, subject.kind);
  const { resourceVersion } = metadataOf(object);
  if (problem === undefined && isText(resourceVersion)) return object as KubeObject;
  const what = problem ?? "metadata.resourceVersion is missing";
  throw undecodable(subject, `an event of the watch is malformed: ${what}`);
}

function metadataOf(object: unknown): { readonly [name: string]: unknown } {
  const metadata: unknown =
    typeof object === "object" && object !== null ? Reflect.get(object, "metadata") : undefined;
  return typeof metadata === "object" && metadata !== null ? (metadata as { [name: string]: unknown }) : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/**
 * Yields the chunks of a body; throws KubeError `Idle` after `idleMs` without one. Time spent by the consumer does not
 * count.
 */
export async function* limitSilence(
  stream: StreamedAnswer,
  idleMs: number,
  clock: Clock,
): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
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

/** Returns the plain bytes of a body: a proxy may have compressed it without being asked. */
export function decompress(body: AsyncIterable<Buffer>, encoding: string | undefined): AsyncIterable<Buffer> {
  if (encoding !== "gzip") return body;
  // Flushed bytes are given out at once: events must not wait for the end of the stream.
  const plain = createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
  return pipeline(Readable.from(body), plain, () => undefined);
}

import { pipeline, Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock, WatchEvent } from "../../shared/runtime/ports.ts";
import { type Decoding, parseAnswer } from "./answer.ts";
import { errorOfEvent, noAnswer, type RequestSubject, undecodable } from "./errors.ts";
import { problemOf } from "./object-shape.ts";
import type { StreamedAnswer } from "./transport.ts";

const NEWLINE = 0x0a;
/** KR-11. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** `cause` of a KubeError that the server sent as an ERROR event inside a running stream (KR-10). */
export const ERROR_EVENT = "ERROR event";

/** A watch event with the length of its line. */
export type ReceivedEvent = WatchEvent & { readonly bytes: number };

interface StreamDecoding extends Decoding {
  /** Called with the length of each chunk before its lines are decoded; the next is read only afterwards (KR-20). */
  received?: ((bytes: number) => Promise<void>) | undefined;
}

/**
 * Decodes the events of a watch from the bytes of its body: newline-delimited JSON, split as bytes so that a chunk
 * border inside a character does no harm. A stream that ends within a line throws `NoAnswer`: nothing of that line was
 * handled. Throws KubeError: `Undecodable`, `TooLarge`, or the failure in an ERROR event, with `ERROR_EVENT` as cause.
 */
export async function* decodeEvents(
  chunks: AsyncIterable<Buffer>,
  subject: RequestSubject,
  { received, ...decoding }: StreamDecoding,
): AsyncGenerator<ReceivedEvent> {
  const begun = new BegunLine(subject);
  for await (const chunk of chunks) {
    await received?.(chunk.length);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = begun.complete(chunk.subarray(start, end));
      start = end + 1;
      const text = line.toString("utf8");
      if (text.trim() === "") continue;
      const parsed = await parseAnswer(text, subject, decoding);
      if (parsed === undefined) throw undecodable(subject, "a line of the watch is not JSON");
      yield { ...eventOf(parsed, subject), bytes: line.length };
      await decoding.pause();
    }
    begun.add(chunk.subarray(start));
  }
  if (!begun.isBlank) throw noAnswer("", subject, "the stream ended within a line");
}

/** The beginning of a line. It is copied: a server may send it byte by byte, and buffers are large beside a byte. */
class BegunLine {
  readonly #subject: RequestSubject;
  #held = Buffer.alloc(0);
  #length = 0;

  constructor(subject: RequestSubject) {
    this.#subject = subject;
  }

  get isBlank(): boolean {
    return this.#held.subarray(0, this.#length).every((byte) => byte <= 0x20);
  }

  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > MAX_LINE_BYTES) {
      const what = `a line of the watch is longer than ${MAX_LINE_BYTES} bytes`;
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

  /** Returns the line of which `rest` is the end; valid until more is added. */
  complete(rest: Buffer): Buffer {
    if (this.#length === 0 && rest.length <= MAX_LINE_BYTES) return rest;
    this.add(rest);
    const line = this.#held.subarray(0, this.#length);
    this.#held = Buffer.alloc(0);
    this.#length = 0;
    return line;
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
  throw undecodable(subject, "a line of the watch is not an event with an object");
}

/** Returns the object. Throws KubeError when its name, uid or version is missing: the read model needs them. */
function completeObject(object: unknown, subject: RequestSubject): KubeObject {
  const problem = problemOf(object, subject.kind);
  const { uid, resourceVersion } = metadataOf(object);
  if (problem === undefined && isText(uid) && isText(resourceVersion)) return object as KubeObject;
  const what = problem ?? "metadata.uid or metadata.resourceVersion is missing";
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

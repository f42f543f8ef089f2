import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { badRequest, internalError, StatusError } from "../errors/status-error.ts";
import type { Answered, Exchange, Stream } from "../request/request.ts";
import { LineStream } from "./line-stream.ts";

/** Request bodies may be this large, after unpacking. */
const BODY_MAX_BYTES = 3 * 1024 * 1024;

/** Smaller answers are not worth packing. */
const GZIP_MIN_BYTES = 128 * 1024;

const pack = promisify(gzip);
const unpack = promisify(gunzip);
const NO_BODY = Buffer.alloc(0);

/*
 * Warning headers, as many as the real server sends: clients refuse answers with more headers.
 * Source: Kubernetes v1.34, staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */

/** When all texts have more characters together, each is cut, and the rest is left out as soon as they have as many. */
const TOTAL_CHARACTERS = 4 * 1024;

const CUT_CHARACTERS = 256;

/** A request that came over a socket. */
export class HttpExchange implements Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
  }

  get method(): string {
    return this.#request.method ?? "GET";
  }

  get url(): string {
    return this.#request.url ?? "/";
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  get certificate(): Exchange["certificate"] {
    const { socket } = this.#request;
    return socket instanceof TLSSocket ? certificateOf(socket) : undefined;
  }

  get answeredWith(): number | undefined {
    return this.#response.headersSent ? this.#response.statusCode : undefined;
  }

  /** The connection that carries it. */
  get socket(): Socket {
    return this.#request.socket;
  }

  readBody(): Promise<Buffer> {
    return readBody(this.#request);
  }

  send(answer: Answered): Promise<void> {
    return sendAnswer(this.#request, this.#response, answer);
  }

  stream(warnings: readonly string[]): Stream {
    const headers = { ...commonHeaders(warnings), "Content-Type": "application/json" };
    this.#response.writeHead(200, headers);
    this.#response.flushHeaders();
    return new LineStream(this.#response, () => this.reset());
  }

  reset(): void {
    resetConnection(this.#request.socket);
  }
}

const certificates = new WeakMap<TLSSocket, { readonly shown: Exchange["certificate"] }>();

/** Read once per connection. */
function certificateOf(socket: TLSSocket): Exchange["certificate"] {
  const known = certificates.get(socket) ?? { shown: shownBy(socket) };
  certificates.set(socket, known);
  return known.shown;
}

function shownBy(socket: TLSSocket): Exchange["certificate"] {
  const peer: Partial<PeerCertificate> | undefined = socket.getPeerCertificate();
  if (peer?.subject === undefined) return undefined;
  if (!socket.authorized) return "untrusted";
  const { CN = "", O = [] } = peer.subject as {
    readonly CN?: string;
    readonly O?: string | readonly string[];
  };
  return {
    commonName: CN,
    organizations: typeof O === "string" ? [O] : O,
    notAfter: new Date(peer.valid_to ?? 0),
  };
}

/** The request's body, unpacked. Throws StatusError 413 beyond 3 MiB, 400 for a broken gzip stream. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (request.method === "GET" || request.method === "HEAD") return NO_BODY;
  const body = await collect(request);
  if (request.headers["content-encoding"] !== "gzip") return body;
  try {
    return await unpack(body, { maxOutputLength: BODY_MAX_BYTES });
  } catch (error) {
    const isLong = error instanceof RangeError;
    throw isLong ? tooLarge() : badRequest("the request body is not valid gzip");
  }
}

/** Reads on after the limit without keeping anything, so that the client is there to hear the answer. */
function collect(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let bytes = 0;
  request.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes <= BODY_MAX_BYTES) parts.push(part);
    else parts.length = 0;
  });
  request.on("end", () => (bytes > BODY_MAX_BYTES ? reject(tooLarge()) : resolve(Buffer.concat(parts))));
  request.on("error", reject);
  return promise;
}

function tooLarge(): StatusError {
  const message = `Request entity too large: limit is ${BODY_MAX_BYTES}`;
  return new StatusError(413, "RequestEntityTooLarge", message);
}

/** Headers of every answer. */
function commonHeaders(warnings: readonly string[] = []): Record<string, string | string[]> {
  return {
    "Audit-Id": randomUUID(),
    "Cache-Control": "no-cache, private",
    ...(warnings.length === 0 ? {} : { Warning: [...warningHeaders(warnings)] }),
  };
}

/** The values of the `Warning` headers of one answer; a text that was given twice is sent once. */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== "");
  let total = 0;
  const isTooMuch = texts.some((text) => {
    total += text.length;
    return total > TOTAL_CHARACTERS;
  });
  return (isTooMuch ? cut(texts) : texts).map(toHeader);
}

function cut(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (total >= TOTAL_CHARACTERS) break;
    const part = text.slice(0, CUT_CHARACTERS);
    total += part.length;
    kept.push(part);
  }
  return kept;
}

function toHeader(text: string): string {
  // Header values are bytes; what is outside of printable ASCII would be refused by the HTTP library.
  const printable = text.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, "\\$&");
  return `299 - "${printable}"`;
}

/** Sends an answer, packed when it is large and the client takes gzip. */
async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answered,
): Promise<void> {
  const { code, contentType = "application/json", headers = {}, warnings } = answer;
  const all = { ...commonHeaders(warnings), "Content-Type": contentType, ...headers };
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  if (takesGzip && answer.text.length > GZIP_MIN_BYTES) {
    const packed = await pack(answer.text, { level: 1 });
    response.writeHead(code, {
      ...all,
      "Content-Encoding": "gzip",
      Vary: "Accept-Encoding",
      "Content-Length": packed.length,
    });
    response.end(packed);
    return;
  }
  const body = Buffer.from(answer.text);
  response.writeHead(code, { ...all, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Breaks a connection so that the client sees a reset; under TLS it sees the end of the connection. */
export function resetConnection(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}

/** Returns any error as a Status answer; an unexpected one is the server's fault and says what it was. */
export function errorAnswer(error: unknown): Answered {
  const refusal =
    error instanceof StatusError
      ? error
      : internalError(
          `Internal error occurred: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
  const retryAfter = refusal.details.retryAfterSeconds;
  return {
    code: refusal.code,
    text: JSON.stringify(refusal.toStatus()),
    ...(retryAfter === undefined ? {} : { headers: { "Retry-After": String(retryAfter) } }),
  };
}

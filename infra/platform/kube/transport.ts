import { constants } from "node:crypto";
import type { ClientRequest, Agent as HttpAgent, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { DEFAULT_CIPHERS } from "node:tls";
import { createGunzip } from "node:zlib";
import { Agent, request as httpRequest } from "../node-http.ts";
import { environmentProxy, leadThrough, type ProxyPath } from "./proxy-tunnel.ts";
import { checkedLookup, hostOf, type ServerAccess } from "./server-access.ts";

export interface HttpRequest {
  readonly method: string;
  /** The path with query; the base path of the server is put in front. */
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

/** The answer was longer than allowed; the connection is closed (S-14). */
export class AnswerTooLarge extends Error {}

/** An answer while it arrives: its status, headers (lower-case names), and the body in chunks. */
export interface StreamedAnswer extends AsyncIterable<Buffer> {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** A reader then sees a failure. May be called twice. */
  destroy(): void;
}

/** Connections to one server with one set of credentials (KC-10). */
export interface Transport extends Disposable {
  /**
   * Returns the whole answer; the body is always consumed or destroyed. Rejects when `signal` aborts or the line
   * breaks.
   */
  send(request: HttpRequest, limitBytes: number, signal: AbortSignal): Promise<HttpAnswer>;
  /** Returns the answer as a stream, on a socket of its own. Aborting the signal destroys it. */
  open(request: HttpRequest, signal: AbortSignal): Promise<StreamedAnswer>;
}

/** Opens no connection before the first request. */
export type Connect = (access: ServerAccess) => Transport;

const REQUEST_SOCKETS = 8;
/**
 * The kernel probes an idle peer after this long, then every second up to ten times: a dead connection is found within
 * 40 s instead of 15 minutes. HTTP/2 clients send PING for this (KC-10).
 */
const PROBE_AFTER_MS = 30_000;
/** How much of a packed body is unpacked between two turns of the event loop. */
const UNPACKED_CHUNK_BYTES = 256 * 1024;

export function createTransport(access: ServerAccess): Transport {
  const { server, addresses } = access;
  const secure = server.protocol === "https:";
  const agentOptions = {
    keepAlive: true,
    keepAliveMsecs: PROBE_AFTER_MS,
    ...(addresses === undefined ? {} : { lookup: checkedLookup(addresses) }),
    ...(secure ? tlsOptions(access) : {}),
  };
  const proxy = proxyOf(access);
  const createAgent = (maxSockets: number) => {
    const agent = secure
      ? new HttpsAgent({ ...agentOptions, maxSockets })
      : new Agent({ ...agentOptions, maxSockets });
    // It serves one server with one set of credentials. The usual name is made of all certificates, for each request.
    agent.getName = () => server.host;
    if (proxy !== undefined) leadThrough(agent, () => proxy);
    return agent;
  };
  const requests = createAgent(REQUEST_SOCKETS);
  const watches = createAgent(Number.POSITIVE_INFINITY);
  const base = server.pathname.replace(/\/$/, "");
  const address = addressOf(server);

  const start = (request: HttpRequest, agent: HttpAgent, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method, body } = request;
      const headers: Record<string, string> = { Accept: "application/json", ...request.headers };
      if (access.token !== undefined) headers["Authorization"] = `Bearer ${access.token}`;
      if (body !== undefined) headers["Content-Length"] = String(Buffer.byteLength(body));
      const options = { method, path: `${base}${request.path}`, headers, agent, ...address };
      const outgoing: ClientRequest = secure ? httpsRequest(options) : httpRequest(options);
      // The option `signal` of Node.js does the same at several times the cost.
      const abort = () => outgoing.destroy(new Error("aborted", { cause: signal.reason }));
      signal.addEventListener("abort", abort);
      let isAnswered: boolean = false;
      outgoing.once("response", (answer) => {
        isAnswered = true;
        resolve(answer);
      });
      // Never removed: an error after the answer has begun belongs to its body.
      outgoing.on("error", reject);
      outgoing.once("close", () => {
        signal.removeEventListener("abort", abort);
        // An answer that switches protocols closes the connection without an error.
        if (!isAnswered) reject(new Error("the connection was closed without an answer"));
      });
      // As a text it leaves together with the headers, in one packet.
      outgoing.end(body);
      if (signal.aborted) abort();
    });

  return {
    async send(request, limitBytes, signal) {
      const answer = await start(request, requests, signal);
      const status = answer.statusCode ?? 0;
      // Node.js makes the map of headers when it is first asked for.
      const retryAfter = status < 300 ? undefined : answer.headers["retry-after"];
      return { status, retryAfter, text: await receiveBody(answer, limitBytes) };
    },
    open: (request, signal) => start(request, watches, signal),
    [Symbol.dispose]() {
      requests.destroy();
      watches.destroy();
    },
  };
}

/** Returns the body of an answer as text, up to the limit. */
function receiveBody(answer: IncomingMessage, limitBytes: number): Promise<string> {
  if (answer.rawHeaders.some(isContentEncoding)) return readBody(answer, limitBytes);
  // Iterating over a stream costs several times what its events do, and every request passes here.
  return new Promise((resolve, reject) => {
    const decoder = new StringDecoder("utf8");
    let text = "";
    let bytes = 0;
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) answer.destroy(tooLarge(limitBytes));
      else text += decoder.write(chunk);
    });
    answer.once("end", () => resolve(text + decoder.end()));
    answer.on("error", reject);
    // It closes without an error when it was destroyed without one.
    answer.once("close", () => reject(new Error("the connection was closed within the answer")));
  });
}

const CONTENT_ENCODING = "content-encoding";

/** Asked of names and values: a value that looks so leads to a closer look. */
function isContentEncoding(text: string): boolean {
  return text.length === CONTENT_ENCODING.length && text.toLowerCase() === CONTENT_ENCODING;
}

/**
 * Returns the body as text. Packed and unpacked bytes are counted while they come, so that neither goes beyond the
 * limit.
 */
export async function readBody(answer: StreamedAnswer, limitBytes: number): Promise<string> {
  const isPacked = answer.headers["content-encoding"] === "gzip";
  const body = isPacked ? counted(unpacked(counted(answer, limitBytes)), limitBytes) : answer;
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  // Leaving the loop destroys the stream and its socket.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    text += decoder.write(chunk);
  }
  return text + decoder.end();
}

/** Yields a body up to the limit. Leaving the loop destroys the stream and its socket. */
async function* counted(body: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    yield chunk;
  }
}

async function* unpacked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const plain = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  const packed = Readable.from(body);
  const piped = pipeline(packed, plain);
  // The chunks reject with it, too.
  piped.catch(() => undefined);
  try {
    for await (const chunk of plain) yield chunk as Buffer;
    await piped;
  } finally {
    packed.destroy();
  }
}

function tooLarge(limitBytes: number): AnswerTooLarge {
  return new AnswerTooLarge(`the answer is longer than ${limitBytes} bytes`);
}

/** Returns the proxy in front of a server. The operator's own is not bound to the addresses that a kubeconfig may name. */
function proxyOf({ server, proxy, ca, addresses }: ServerAccess): ProxyPath | undefined {
  if (proxy !== undefined) return { proxy, ca, lookup: addresses && checkedLookup(addresses) };
  const own = environmentProxy(server);
  return own && { proxy: own };
}

function addressOf(server: URL) {
  const hostname = hostOf(server);
  return server.port === "" ? { hostname } : { hostname, port: Number(server.port) };
}

function tlsOptions(access: ServerAccess) {
  const given = {
    ca: access.ca,
    cert: access.cert,
    key: access.key,
    servername: access.tlsServerName,
  };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    minVersion: "TLSv1.2" as const,
    // With DHE the server chooses numbers that take half a second of a core for each connection, and with renegotiation how
    // often. API servers know neither (S-12).
    ciphers: `${DEFAULT_CIPHERS}:!DHE`,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    rejectUnauthorized: access.insecure !== true,
  };
}

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { oneLine } from "../../worker/health.ts";
import type { Admission } from "../access/admission.ts";
import { foreignness, type Site, unfitness } from "../access/door.ts";
import { type Api, checked } from "../answers.ts";
import { sessionRequestSchema } from "../api/me.ts";
import type { ReadPage } from "../console-options.ts";
import { HEADERS, isGone, type Listener, type Message, type Reply, splitAt } from "../message.ts";
import { openApiOf } from "../openapi.ts";
import { Problem, problem } from "../problem.ts";
import type { Streams } from "../stream/streams.ts";

/** A complete answer. */
interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers?: { readonly [name: string]: string };
}

const compressed = promisify(gzip);

/** Smaller ones are sent as they are. */
const COMPRESS_BYTES = 2_048;

export interface ExchangeOptions {
  readonly site: () => Site;
  readonly admission: Admission;
  readonly api: Api;
  readonly streams: Streams;
  /** Reads the page; absent where the API alone is served. */
  readonly page: ReadPage | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const API = "/api/v1";
/** A code, from a client that is not known yet. */
const MAX_SESSION_BYTES = 4 * 1024;
/** 10,000 keys of usual length. */
const MAX_BYTES = 2 * 1024 * 1024;
type Body = { readonly code?: string | undefined };

/** Answers requests. The order of the checks is the defence: Host and origin before a path, the person before the data. */
export function exchanging(options: ExchangeOptions): Listener {
  return (message, response) => {
    void answerTo(message, response, options)
      .catch((error: unknown) => problemAnswer(error, options.log))
      .then((answer) => answer && send(message, response, answer))
      .catch((error: unknown) =>
        options.log.error({ error: String(error) }, "bug: an answer could not be sent"),
      );
  };
}

/** Returns the answer; undefined: a stream answers. */
async function answerTo(
  message: Message,
  response: Reply,
  options: ExchangeOptions,
): Promise<Answer | undefined> {
  const { method = "", url = "" } = message;
  const [path, query] = splitAt(url, "?");
  const isApi = path === "/api" || path.startsWith("/api/");
  const foreign = foreignness(message, options.site(), !isApi);
  if (foreign !== undefined) throw foreign;
  if (method !== "GET" && method !== "POST") {
    throw problem("methodNotAllowed", "the console takes GET and POST", "send one of them");
  }
  if (!isApi) return pageAnswer(method, path, options.page);
  if (!path.startsWith(`${API}/`))
    throw problem("notFound", "this path is unknown", `all paths begin with ${API}/`);
  const target = url.slice(API.length);
  return method === "POST"
    ? postAnswer(message, target, options)
    : getAnswer(message, response, { target, path: path.slice(API.length), query }, options);
}

async function pageAnswer(method: string, path: string, page: ReadPage | undefined): Promise<Answer> {
  if (method !== "GET") throw problem("methodNotAllowed", "a page takes GET only", "send GET");
  const file = await page?.(path);
  if (file === undefined) throw problem("notFound", "this page is unknown", `the API begins with ${API}/`);
  return { status: 200, ...file };
}

async function postAnswer(message: Message, target: string, options: ExchangeOptions): Promise<Answer> {
  const { admission, api, clock } = options;
  const unfit = unfitness(message);
  if (unfit !== undefined) throw unfit;
  if (target === "/session") {
    const body = checked(sessionRequestSchema, await readBody(message, MAX_SESSION_BYTES), "body") as Body;
    const opened = await admission.open(message, body);
    return json(200, JSON.stringify({ asOf: clock.now().toISOString(), ...opened }));
  }
  const viewer = await admission.viewerOf(message);
  const { text } = await api.answer("POST", target, { viewer, body: await readBody(message, MAX_BYTES) });
  return json(200, text);
}

async function getAnswer(
  message: Message,
  response: Reply,
  asked: { readonly target: string; readonly path: string; readonly query: string },
  { admission, api, streams }: ExchangeOptions,
): Promise<Answer | undefined> {
  const viewer = await admission.viewerOf(message);
  if (asked.path === "/openapi.json") return json(200, JSON.stringify(openApiOf(api.routes)));
  if (asked.path === "/stream") {
    await streams.open(response, { query: asked.query, viewer, renew: () => admission.viewerOf(message) });
    return undefined;
  }
  const { text, etag } = await api.answer("GET", asked.target, { viewer });
  const isKnown = message.headers["if-none-match"] === etag;
  return json(isKnown ? 304 : 200, isKnown ? "" : text, { ETag: etag });
}

function problemAnswer(error: unknown, log: Log): Answer {
  if (!(error instanceof Problem)) {
    log.error({ error: oneLine(String(error)) }, "bug: a request of the console failed");
    return problemAnswer(problem("internal", "the console has a defect here", "its log says more"), log);
  }
  const { body } = error;
  const headers = {
    ...(body.status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
    ...(body.status === 405 ? { Allow: "GET, POST" } : {}),
    ...(body.status === 429 || body.status === 503 ? { "Retry-After": "10" } : {}),
  };
  return json(body.status, JSON.stringify(body), headers);
}

/** Reads a JSON body. Throws the Problem of a longer one, or of one that is not JSON. */
async function readBody(message: Message, maxBytes: number): Promise<unknown> {
  const tooLarge = problem("tooLarge", `the body has more than ${maxBytes / 1024} KiB`, "send less at once");
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays for the answer, which says that the body is too long.
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw problem("badRequest", "the body is not JSON in UTF-8", "send a JSON object");
  }
}

function json(status: number, text: string, headers: Answer["headers"] = {}): Answer {
  return { status, body: text, contentType: "application/json; charset=utf-8", headers };
}

/** Sends an answer; a client that has left gets nothing. */
async function send(message: Message, response: Reply, answer: Answer): Promise<void> {
  const { status, contentType, headers = {} } = answer;
  const plain = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  const packs =
    plain.length >= COMPRESS_BYTES && /\bgzip\b/.test(String(message.headers["accept-encoding"] ?? ""));
  const body = packs ? await compressed(plain, { level: 4 }) : plain;
  if (isGone(response)) return;
  response.writeHead(status, {
    ...HEADERS,
    ...headers,
    "Content-Type": contentType,
    Vary: "Accept-Encoding",
    ...(packs ? { "Content-Encoding": "gzip" } : {}),
    ...(status === 304 ? {} : { "Content-Length": body.length }),
    // The rest of a body that was refused is not read. HTTP/2 ends the request alone.
    ...(message.complete || message.httpVersionMajor === 2 ? {} : { Connection: "close" }),
  });
  response.end(message.method === "HEAD" || status === 304 ? undefined : body);
}

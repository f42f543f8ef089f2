import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HEADERS } from "../headers.ts";
import { isGone, type Message, type Reply } from "../message.ts";

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers?: { readonly [name: string]: string };
}

const compressed = promisify(gzip);
/** Smaller ones are sent as they are. */
const COMPRESS_BYTES = 2_048;

export function json(status: number, text: string, headers: Answer["headers"] = {}): Answer {
  return { status, body: text, contentType: "application/json; charset=utf-8", headers };
}

/** Sends an answer; a client that has left gets nothing. */
export async function send(message: Message, response: Reply, answer: Answer): Promise<void> {
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

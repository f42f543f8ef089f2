import type { IncomingMessage } from "node:http";
import { request as startRequest } from "node:https";
import { messageOf } from "../../../../shared/function/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { objectAt, textAt } from "../objects/kube-object.ts";
import { parseJson } from "../objects/strict-json.ts";
import { connectionProblem, refusalText } from "./webhook-failure.ts";

/** The largest objects that can be stored would fit in by the dozen. */
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

/** An answer as it came. */
interface Received {
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Posts a JSON document to the webhook of a `clientConfig` (url, caBundle) and returns the one it answers.
 * Throws what went wrong in the words of the real server: it cannot be reached, shows a certificate of another
 * authority, refuses, says nothing or no JSON, or takes so long that the signal is aborted, with its reason.
 */
export async function callWebhook(
  clientConfig: JsonObject,
  document: JsonObject,
  signal: AbortSignal,
): Promise<Json> {
  const address = addressOf(clientConfig);
  const ca = Buffer.from(textAt(clientConfig, "caBundle"), "base64").toString("utf8").trim();
  const received = await (async () => {
    if (isJsonObject(clientConfig["service"])) throw noSuchService(clientConfig["service"]);
    return exchange(address, JSON.stringify(document), { signal, ...(ca === "" ? {} : { ca }) });
  })().catch((error: Error) => {
    const cause = signal.aborted ? signal.reason : error;
    throw new Error(`Post "${address}": ${connectionProblem(cause)}`, { cause });
  });
  return read(received);
}

/** Returns the address with the parameter for the time limit of the webhook. */
function addressOf(clientConfig: JsonObject): string {
  const { name, namespace, port = 443, path = "/" } = objectAt(clientConfig, "service");
  const url = isJsonObject(clientConfig["service"])
    ? `https://${name}.${namespace}.svc:${port}${path}`
    : textAt(clientConfig, "url");
  const [, start = "", given = ""] = /^([^/]*\/\/[^/]*)(.*)$/.exec(url) ?? [];
  return `${start}${withoutEndSlashes(given) || "/"}?timeout=30s`;
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** Differs: this server has no cluster network, so no webhook is called by its service. */
function noSuchService({ name }: JsonObject): Error {
  return new Error(
    `service "${name}" not found; there is no cluster network here, so name the webhook by clientConfig.url`,
  );
}

interface Sending {
  readonly ca?: string;
  readonly signal: AbortSignal;
}

async function exchange(address: string, body: string, sending: Sending): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json",
  };
  const sent = startRequest(address, { method: "POST", headers, ...sending }, resolve);
  sent.on("error", reject);
  sent.end(body);
  try {
    return await receive(await promise);
  } catch (error) {
    // The other side had given up the connection that was kept from the last time.
    const isStale = sent.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
    if (isStale && !sending.signal.aborted) return exchange(address, body, sending);
    throw error;
  }
}

async function receive(answer: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
    parts.push(part);
  }
  const { statusCode: code = 0, headers } = answer;
  return { code, contentType: headers["content-type"] ?? "", text: Buffer.concat(parts).toString("utf8") };
}

function read({ code, contentType, text }: Received): Json {
  if (code < 200 || code > 206) throw new Error(refusalText(code, contentType, text));
  if (text === "") {
    throw new Error(`0-length response with status code: ${code} and content type: ${contentType}`);
  }
  try {
    return parseJson(text).value;
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`couldn't get version/kind; json parse error: ${reason}`, { cause: error });
  }
}

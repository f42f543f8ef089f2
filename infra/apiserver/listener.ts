import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { encodeAnswer } from "./encode.ts";
import { endpoint } from "./endpoints.ts";
import { commonHeaders, errorAnswer, readBody, sendAnswer } from "./http.ts";
import { negotiate } from "./negotiate.ts";
import type { ApiRequest, Target, VirtualServer } from "./request.ts";
import type { RequestLog } from "./request-log.ts";
import { answerRequest } from "./rest.ts";
import { routeResource, routeVerb } from "./router.ts";
import { StatusError } from "./status-error.ts";
import { planWatch, serveWatch } from "./watch.ts";

export interface ListenerOptions {
  readonly server: VirtualServer;
  readonly token: string;
  readonly log: RequestLog | undefined;
}

/** The first path segment that carries the token for clients that cannot send it in a header. */
export const TOKEN_SEGMENT = "as";

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const PUBLIC = new Set(["healthz", "livez", "readyz"]);

/** Answers one HTTP request; never throws. */
export async function listen(
  options: ListenerOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const seen: Seen = { target: undefined, verb: (message.method ?? "GET").toLowerCase() };
  try {
    await answer(options, message, response, seen);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else await sendAnswer(message, response, errorAnswer(error));
  }
  if (options.log && seen.verb !== "watch") options.log.add(toRecord(seen, message, response.statusCode));
}

/** What is known of a request for the log, filled in as it becomes known. */
interface Seen {
  target: Target | undefined;
  verb: string;
}

async function answer(
  options: ListenerOptions,
  message: IncomingMessage,
  response: ServerResponse,
  seen: Seen,
): Promise<void> {
  const { server } = options;
  const [path = "", search = ""] = splitOnce(message.url ?? "/", "?");
  const segments = authorize(options, message, path.split("/").slice(1).map(decodeSegment));
  const host = message.headers.host ?? "";
  const ifNoneMatch = message.headers["if-none-match"];
  const isRead = message.method === "GET" || message.method === "HEAD";
  const plain = isRead ? endpoint({ server, segments, host, ifNoneMatch }) : undefined;
  if (plain) return sendAnswer(message, response, plain);
  const target = routeResource(server.registry, segments);
  if (!target) {
    return sendAnswer(message, response, {
      code: 404,
      text: "404 page not found\n",
      contentType: "text/plain; charset=utf-8",
    });
  }
  seen.target = target;
  const query = new URLSearchParams(search);
  const verb = routeVerb(message.method ?? "GET", target, query);
  seen.verb = verb;
  const request: ApiRequest = {
    server,
    verb,
    target,
    query,
    contentType: (message.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    accept: message.headers.accept ?? "",
    userAgent: message.headers["user-agent"] ?? "",
    body: await readBody(message),
    now: new Date(),
    warnings: [],
  };
  if (verb === "watch") {
    options.log?.add(toRecord(seen, message, 200));
    return startWatch(request, response);
  }
  const representation = negotiate(request.accept, query.get("includeObject"));
  const result = await answerRequest(request, verb);
  const code = result.form === "list" ? 200 : result.code;
  const text = encodeAnswer(result, representation, request.now);
  const { warnings } = request;
  if (representation.encoding === "json") return sendAnswer(message, response, { code, text, warnings });
  const { stringify } = await import("yaml");
  return sendAnswer(message, response, {
    code,
    text: stringify(JSON.parse(text)),
    contentType: "application/yaml",
    warnings,
  });
}

function startWatch(request: ApiRequest, response: ServerResponse): void {
  const plan = planWatch(request);
  response.writeHead(200, { ...commonHeaders(request.warnings), "Content-Type": "application/json" });
  response.flushHeaders();
  serveWatch(plan, response);
}

/**
 * Path segments behind an accepted token. kubectl sends no Authorization header over plain HTTP, so its kubeconfig
 * carries the token in the server's path: `/as/<token>`.
 * Throws StatusError 403 for requests that a browser could have been tricked into, 401 without a token.
 */
function authorize(
  { token }: ListenerOptions,
  message: IncomingMessage,
  segments: readonly string[],
): readonly string[] {
  const { host = "", origin, authorization = "" } = message.headers;
  if (origin !== undefined || !LOOPBACK_HOST.test(host)) {
    throw new StatusError(
      403,
      "Forbidden",
      "requests with an Origin header or a Host that is not loopback are refused",
    );
  }
  if (segments[0] === TOKEN_SEGMENT && isSame(segments[1] ?? "", token)) return segments.slice(2);
  if (isSame(authorization.replace(/^Bearer /, ""), token) || PUBLIC.has(segments[0] ?? "")) return segments;
  throw new StatusError(401, "Unauthorized", "Unauthorized");
}

function isSame(given: string, token: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(token);
  return left.length === right.length && timingSafeEqual(left, right);
}

function toRecord({ target, verb }: Seen, message: IncomingMessage, code: number) {
  return {
    verb,
    resource: target?.type.plural ?? "",
    subresource: target?.subresource,
    namespace: target?.namespace,
    name: target?.name,
    userAgent: message.headers["user-agent"] ?? "",
    code,
  };
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes("%") ? decodeURIComponent(segment) : segment;
  } catch {
    return segment;
  }
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

import { checkPermission } from "../access/permissions.ts";
import { StatusError } from "../errors/status-error.ts";
import type { Faults } from "../faults/faults.ts";
import { type Injected, inject, NoAnswer } from "../faults/inject.ts";
import { negotiate } from "../request/body.ts";
import type {
  Answered,
  ApiRequest,
  Exchange,
  Target,
  User,
  Verb,
  VirtualServer,
} from "../request/request.ts";
import { routeResource, routeVerb } from "../request/router.ts";
import { encodeAnswer } from "../rest/encode.ts";
import { answerRequest } from "../rest/rest.ts";
import { planWatch, serveWatch } from "../rest/watch.ts";
import { endpoint } from "./endpoints.ts";
import { errorAnswer } from "./http.ts";

/** One answered request, for tests that count who wrote what. */
export interface RequestRecord {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly userAgent: string;
  readonly code: number;
}

const MAX_RECORDS = 10_000;

/** The last 10,000 requests, oldest first. */
export class RequestLog {
  readonly #records: RequestRecord[] = [];

  get records(): readonly RequestRecord[] {
    return this.#records;
  }

  add(record: RequestRecord): void {
    this.#records.push(record);
    // In larger steps, because every cut moves all that remain.
    if (this.#records.length >= 2 * MAX_RECORDS) this.#records.splice(0, MAX_RECORDS);
  }
}

export interface ListenerOptions {
  /** The present run; a restart brings another one. */
  readonly server: () => VirtualServer;
  readonly faults: Faults;
  /** Answers requests below `/capstan`; undefined for unknown paths. */
  readonly administer: (exchange: Exchange, segments: readonly string[]) => Promise<Answered | undefined>;
  readonly log: RequestLog | undefined;
  /** Names and addresses that a Host header may have, beside those of loopback. */
  readonly names: ReadonlySet<string>;
}

/** The first path segment that carries the token for clients that cannot send it in a header. */
export const TOKEN_SEGMENT = "as";
/** The first path segment of what only this server has: faults, compaction, restart. */
const ADMIN_SEGMENT = "capstan";

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
const PUBLIC = new Set(["healthz", "livez", "readyz"]);
const ANYBODY: User = { name: "system:anonymous", allow: [] };

/** Answers one request; never throws. */
export async function listen(options: ListenerOptions, exchange: Exchange): Promise<void> {
  const seen: Seen = { target: undefined, verb: exchange.method.toLowerCase(), warnings: [] };
  try {
    await answer(options, exchange, seen);
  } catch (error) {
    const hasBegun = exchange.answeredWith !== undefined;
    if (error instanceof NoAnswer ? error.resets : hasBegun) exchange.reset();
    else if (!(error instanceof NoAnswer))
      await exchange.send({ ...errorAnswer(error), warnings: seen.warnings });
  }
  if (options.log && seen.verb !== "watch") options.log.add(toRecord(seen, exchange));
}

/** Facts about a request for the log, filled in as they become known. */
interface Seen {
  target: Target | undefined;
  verb: string;
  /** Texts for Warning headers; refusals carry them as well. */
  readonly warnings: string[];
}

async function answer(options: ListenerOptions, exchange: Exchange, seen: Seen): Promise<void> {
  const { method, headers } = exchange;
  const [path = "", search = ""] = splitOnce(exchange.url, "?");
  const present = options.server();
  requireOwnHost(exchange, options.names);
  const { user, segments } = authenticate(present, exchange, path.split("/").slice(1).map(decodeSegment));
  const server = { ...present, registry: options.faults.visible(present.registry) };
  const about = { path: `/${segments.join("/")}`, userAgent: headers["user-agent"] ?? "" };
  const isRead = method === "GET" || method === "HEAD";
  const query = new URLSearchParams(search);
  const { host = "", accept = "", "if-none-match": ifNoneMatch } = headers;
  const plain =
    segments[0] === ADMIN_SEGMENT
      ? await administer(options, exchange, user, segments.slice(1))
      : isRead && endpoint({ server, segments, query, host, accept, ifNoneMatch });
  if (plain) {
    const effects = options.faults.take({ ...about, verb: seen.verb, target: undefined });
    const { answer: sent } = await inject(effects, server, undefined);
    return finish(exchange, plain, sent);
  }
  const target = routeResource(server.registry, segments);
  if (!target) return exchange.send(PAGE_NOT_FOUND);
  seen.target = target;
  const verb = routeVerb(method, target, query);
  if (!verb) return exchange.send(PAGE_NOT_FOUND);
  seen.verb = verb;
  checkPermission(user, verb, target);
  const body = await exchange.readBody();
  const injected = await inject(options.faults.take({ ...about, verb, target }), server, target);
  const { warnings } = seen;
  const request = toRequest(exchange, { verb, target, query, body, user, server: injected.server, warnings });
  if (verb === "watch") {
    const plan = planWatch(request);
    const lines = exchange.stream(warnings);
    options.log?.add(toRecord(seen, exchange));
    return serveWatch(plan, lines, injected.stream);
  }
  return finish(exchange, await carryOut(request, verb), injected.answer);
}

const PAGE_NOT_FOUND: Answered = {
  code: 404,
  text: "404 page not found\n",
  contentType: "text/plain; charset=utf-8",
};

function toRequest(
  { headers }: Exchange,
  known: Pick<ApiRequest, "verb" | "target" | "query" | "body" | "user" | "server" | "warnings">,
): ApiRequest {
  return {
    ...known,
    contentType: (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    accept: headers.accept ?? "",
    userAgent: headers["user-agent"] ?? "",
    now: known.server.clock.now(),
  };
}

async function carryOut(request: ApiRequest, verb: Exclude<Verb, "watch">): Promise<Answered> {
  const representation = negotiate(request.accept, request.query.get("includeObject"));
  const result = await answerRequest(request, verb);
  const code = result.form === "list" ? 200 : result.code;
  const text = encodeAnswer(result, representation, request.now);
  const { warnings } = request;
  if (representation.encoding === "json") return { code, text, warnings };
  const { writeYaml } = await import("../../../platform/yaml/write-yaml.ts");
  return {
    code,
    text: writeYaml(JSON.parse(text)),
    contentType: "application/yaml",
    warnings,
  };
}

/** Sends an answer, unless a fault wants it lost or spoilt. */
function finish(exchange: Exchange, whole: Answered, sent: Injected["answer"]): Promise<void> {
  if (sent === "reset" || sent === "silence") throw new NoAnswer(sent === "reset");
  return exchange.send(sent === "garbage" ? { ...whole, text: "<html>502 Bad Gateway" } : whole);
}

/** Only for users who may do everything. Throws StatusError 403 for others, 404 for unknown paths. */
async function administer(
  options: ListenerOptions,
  exchange: Exchange,
  user: User,
  segments: readonly string[],
): Promise<Answered> {
  if (user.allow !== undefined) {
    const path = `/${[ADMIN_SEGMENT, ...segments].join("/")}`;
    throw new StatusError(403, "Forbidden", `forbidden: User "${user.name}" cannot use path "${path}"`);
  }
  return (await options.administer(exchange, segments)) ?? PAGE_NOT_FOUND;
}

/** Throws StatusError 403 for requests that a browser could have been tricked into. */
function requireOwnHost({ headers }: Exchange, names: ReadonlySet<string>): void {
  const { host = "", origin } = headers;
  const isOwn = LOOPBACK_HOST.test(host) || names.has(host.replace(/:\d+$/, "").toLowerCase());
  if (origin === undefined && isOwn) return;
  throw new StatusError(
    403,
    "Forbidden",
    "requests with an Origin header or a Host that is not loopback are refused",
  );
}

/**
 * Returns who asks, and the path segments behind an accepted token. kubectl sends no Authorization header over plain
 * HTTP, so its kubeconfig carries the token in the server's path: `/as/<token>`. Throws StatusError 401 without a token
 * or a client certificate, and for a certificate that is not trusted, as the real server does.
 */
function authenticate(
  { users, clock }: VirtualServer,
  exchange: Exchange,
  segments: readonly string[],
): { readonly user: User; readonly segments: readonly string[] } {
  const { authorization = "" } = exchange.headers;
  const now = clock.now();
  const inPath = segments[0] === TOKEN_SEGMENT ? users.withToken(segments[1] ?? "") : undefined;
  if (inPath) return { user: inPath, segments: segments.slice(2) };
  const user =
    users.withToken(bearerToken(authorization)) ?? users.withCertificate(exchange.certificate, now);
  if (user) return { user, segments };
  if (exchange.certificate === undefined && PUBLIC.has(segments[0] ?? "")) return { user: ANYBODY, segments };
  throw new StatusError(401, "Unauthorized", "Unauthorized");
}

/** Returns the token as the real server reads it: any other scheme, or none, says nothing of who asks. */
function bearerToken(authorization: string): string {
  const [scheme = "", token = ""] = authorization.trim().split(" ", 2);
  return scheme.toLowerCase() === "bearer" ? token : "";
}

function toRecord({ target, verb }: Seen, { headers, answeredWith: code = 200 }: Exchange) {
  return {
    verb,
    resource: target?.type.plural ?? "",
    subresource: target?.subresource,
    namespace: target?.namespace,
    name: target?.name,
    userAgent: headers["user-agent"] ?? "",
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

import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { type RequestSubject, undecodable } from "./errors.ts";
import { createRequester, type Requester } from "./request.ts";
import type { ServerAccess } from "./server-access.ts";
import { type Calls, createReads, createWrites, type Send, type ServerClient } from "./verbs.ts";
import { limitSilence } from "./watch-stream.ts";

export interface ServerOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Default 200 requests/s, burst 400; workload clusters get 100 and 200 (KC-09). Watches are exempt. */
  readonly requestsPerSecond?: number | undefined;
  readonly burst?: number | undefined;
  /** Version in the User-Agent. */
  readonly version?: string | undefined;
  /** New access after a 401, for example from a rotated Secret; `undefined` keeps the old one. */
  readonly reload?: (() => Promise<ServerAccess | undefined>) | undefined;
  /** Longest silence of a watch. Default 90 s: bookmarks arrive about once a minute (KR-07). */
  readonly idleMs?: number | undefined;
}

/** One API server: its connections, credentials and request budget, shared by all clients made from it. */
export interface Server extends Disposable {
  readonly url: URL;
  /** A client that acts as `functionName`: User-Agent and, with `capstan-` before it, field manager. */
  as(functionName: string): ServerClient;
  /** `GET /` within 5 s; throws KubeError. */
  probe(): Promise<void>;
  /** Answers so far, by status; 0 counts requests without an answer. */
  readonly answers: ReadonlyMap<number, number>;
}

const REQUEST_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 5_000;
const IDLE_MS = 90_000;
/** S-14. */
const OBJECT_LIMIT_BYTES = 10 * 1024 * 1024;
const PAGE_LIMIT_BYTES = 64 * 1024 * 1024;

export function createServer(access: ServerAccess, options: ServerOptions): Server {
  const requester = createRequester(access, {
    clock: options.clock,
    requestsPerSecond: options.requestsPerSecond ?? 200,
    burst: options.burst ?? 400,
    reload: options.reload,
    log: options.log,
  });
  const clients = new Map<string, ServerClient>();
  const agent = `capstan/${options.version ?? "dev"}`;
  return {
    url: access.server,
    answers: requester.answers,
    as(functionName) {
      const known = clients.get(functionName);
      if (known !== undefined) return known;
      const client = createClient({
        requester,
        options,
        functionName,
        userAgent: `${agent} ${functionName}`,
      });
      clients.set(functionName, client);
      return client;
    },
    async probe() {
      await requester.send({
        method: "GET",
        path: "/",
        headers: { "User-Agent": `${agent} probe` },
        subject: { kind: rootKind, verb: "probe" },
        timeoutMs: PROBE_TIMEOUT_MS,
        limitBytes: OBJECT_LIMIT_BYTES,
      });
    },
    [Symbol.dispose]: () => requester[Symbol.dispose](),
  };
}

const rootKind: Kind = { group: "", version: "v1", kind: "APIServer", plural: "/", namespaced: false };

interface ClientParts {
  readonly requester: Requester;
  readonly options: ServerOptions;
  readonly functionName: string;
  readonly userAgent: string;
}

function createClient(parts: ClientParts): ServerClient {
  const calls = createCalls(parts);
  return { ...createReads(calls), ...createWrites(calls) };
}

function createCalls({ requester, options, functionName, userAgent }: ClientParts): Calls {
  const call = (subject: RequestSubject, { method, path, body, contentType, list }: Send) => ({
    method,
    path,
    headers: {
      "User-Agent": userAgent,
      ...(contentType === undefined ? {} : { "Content-Type": contentType }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    subject,
    timeoutMs: list === true ? LIST_TIMEOUT_MS : REQUEST_TIMEOUT_MS,
    limitBytes: list === true ? PAGE_LIMIT_BYTES : OBJECT_LIMIT_BYTES,
  });
  return {
    fieldManager: encodeURIComponent(`capstan-${functionName}`),
    send: async (subject, request) => objectOf(await requester.send(call(subject, request)), subject),
    async open(subject, path, signal) {
      const stream = await requester.open(call(subject, { method: "GET", path }), signal);
      const chunks = limitSilence(stream, options.idleMs ?? IDLE_MS, options.clock);
      return Object.assign(chunks, { [Symbol.dispose]: () => void stream.destroy() });
    },
  };
}

function objectOf(text: string, subject: RequestSubject): KubeObject {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && Reflect.has(parsed, "kind"))
      return parsed as KubeObject;
  } catch {
    // Told below: an answer of a proxy, most often HTML.
  }
  throw undecodable(subject, "the answer is no Kubernetes object; is this the address of an API server?");
}

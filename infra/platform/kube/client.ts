import { apiVersionOf, type Kind } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock, Log, Sending } from "../../../shared/runtime/ports.ts";
import {
  answerOf,
  type Decoding,
  listOf,
  OBJECT_LIMIT_BYTES,
  objectOf,
  TRUSTED,
  UNTRUSTED,
} from "./answer.ts";
import type { RequestSubject } from "./errors.ts";
import { isObject, isText } from "./kind-shapes.ts";
import { createTimeSlices } from "./list-bounds.ts";
import type { RequestRate } from "./rate-limit.ts";
import { createRequester, type Requester, type RequesterOptions } from "./request.ts";
import { pathOf } from "./resource-path.ts";
import type { ServerAccess } from "./server-access.ts";
import type { Connect } from "./transport.ts";
import { type Calls, createReads, createWrites, type Send, type ServerClient } from "./verbs.ts";
import { decompress, limitSilence } from "./watch-stream.ts";

const API_VERSION = /^(?:([a-z0-9.-]{1,253})\/)?([a-z0-9]{1,63})$/;

/** Asks the discovery API of a server which kinds it serves: its own, those of CRDs and of aggregated servers. */
function createDiscovery(calls: Calls): Pick<ServerClient, "kinds"> {
  return {
    async kinds(apiVersion) {
      const [, group = "", version] = API_VERSION.exec(apiVersion) ?? [];
      if (version === undefined) return [];
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      const subject = { kind: listKindOf({ group, version }), verb: "get" } as const;
      try {
        const { resources } = await calls.document(subject, { method: "GET", path });
        return Array.isArray(resources) ? resources.flatMap((each) => kindIn(each, { group, version })) : [];
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return [];
        throw error;
      }
    },
  };
}

/** The document itself, for messages. */
function listKindOf(of: Pick<Kind, "group" | "version">): Kind {
  return { ...of, kind: "APIResourceList", plural: "apiresourcelists", namespaced: false };
}

/** Subresources, and kinds that only take questions, hold no object. */
function kindIn(resource: unknown, of: Pick<Kind, "group" | "version">): readonly Kind[] {
  if (!isObject(resource)) return [];
  const { name, kind, namespaced, verbs } = resource;
  if (!isText(name) || !isText(kind) || name.includes("/")) return [];
  const isStored = Array.isArray(verbs) && verbs.includes("patch");
  return isStored ? [{ ...of, kind, plural: name, namespaced: namespaced === true }] : [];
}

export interface ServerOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Watches are exempt (KC-09). */
  readonly rate?: Partial<RequestRate> | undefined;
  /** Version in the User-Agent. */
  readonly version?: string | undefined;
  /** New access after a 401, for example from a rotated Secret; `undefined` keeps the old one. */
  readonly reload?: (() => Promise<ServerAccess | undefined>) | undefined;
  /** Answers of this server are not trusted: its objects are limited in depth and size (S-14). */
  readonly untrusted?: boolean | undefined;
  /** Longest silence of a watch. Default 90 s: bookmarks arrive about once a minute (KR-07). */
  readonly idleMs?: number | undefined;
  /** Opens connections to the server. Default: over the network. */
  readonly connect?: Connect | undefined;
  readonly noteRequest?: RequesterOptions["noteRequest"];
}

/** One API server: its connections, credentials and request budget, shared by all clients made from it. */
export interface Server extends Disposable {
  readonly url: URL;
  /** Returns a client that acts as `functionName`: User-Agent and, with `capstan-` before it, field manager. */
  as(functionName: string, sending?: Sending): ServerClient;
  /** Sends `GET /` and waits 5 s at most. Throws KubeError. */
  probe(): Promise<void>;
  /** Answers so far, by status; 0 counts requests without an answer. */
  readonly answers: ReadonlyMap<number, number>;
}

/**
 * KC-09. A thousand pools within 30 s are 9 requests each with their Event: 300 a second. The API server itself takes
 * more than twice this, and answers 429 beyond.
 */
const MANAGEMENT_RATE: RequestRate = { requestsPerSecond: 500, burst: 1_000 };
const REQUEST_TIMEOUT_MS = 10_000;
const LIST_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 5_000;
const IDLE_MS = 90_000;
/** S-14. */
const PAGE_LIMIT_BYTES = 64 * 1024 * 1024;

export function createServer(access: ServerAccess, options: ServerOptions): Server {
  const requester = createRequester(access, {
    clock: options.clock,
    rate: { ...MANAGEMENT_RATE, ...options.rate },
    reload: options.reload,
    log: options.log,
    connect: options.connect,
    noteRequest: options.noteRequest,
  });
  const clients = new Map<string, ServerClient>();
  const agent = `capstan/${options.version ?? "dev"}`;
  return {
    url: access.server,
    answers: requester.answers,
    as(functionName, sending) {
      const server = access.server.host;
      const parts = { requester, server, options, functionName, userAgent: `${agent} ${functionName}` };
      if (sending !== undefined) return createClient({ ...parts, sending });
      const known = clients.get(functionName);
      if (known !== undefined) return known;
      const client = createClient(parts);
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
  /** Host and port. */
  readonly server: string;
  readonly options: ServerOptions;
  readonly functionName: string;
  readonly userAgent: string;
  readonly sending?: Sending;
}

function createClient(parts: ClientParts): ServerClient {
  const calls = createCalls(parts);
  return {
    ...createReads(calls),
    ...createWrites(calls),
    ...createDiscovery(calls),
    ...createReviewer(calls),
  };
}

function createCalls({
  requester,
  server,
  options,
  functionName,
  userAgent,
  sending = {},
}: ClientParts): Calls {
  const { runId, dryRun = false, mayGo } = sending;
  const bounds = options.untrusted === true ? UNTRUSTED : TRUSTED;
  const decoding = (): Decoding => ({ bounds, pause: createTimeSlices(options.clock) });
  const from = (subject: RequestSubject) => ({ ...subject, server });
  const call = (
    subject: RequestSubject,
    { method, path, body, contentType, accept, list, signal, timeoutMs }: Send,
  ) => ({
    method,
    path,
    headers: {
      "User-Agent": userAgent,
      ...(runId === undefined ? {} : { "Audit-ID": runId }),
      ...(contentType === undefined ? {} : { "Content-Type": contentType }),
      ...(accept === undefined ? {} : { Accept: accept }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    subject,
    mayGo: method === "GET" ? undefined : mayGo,
    timeoutMs: timeoutMs ?? (list === true ? LIST_TIMEOUT_MS : REQUEST_TIMEOUT_MS),
    signal,
    limitBytes: list === true ? PAGE_LIMIT_BYTES : OBJECT_LIMIT_BYTES,
  });
  return {
    decoding,
    from,
    fieldManager: encodeURIComponent(`capstan-${functionName}`),
    dryRun,
    clock: options.clock,
    async send(subject, request) {
      const text = await requester.send(call(from(subject), request));
      return objectOf(text, from(subject), decoding());
    },
    async document(subject, request) {
      const text = await requester.send(call(from(subject), request));
      return answerOf(text, from(subject), decoding());
    },
    async page(subject, request) {
      const text = await requester.send(call(from(subject), { ...request, list: true }));
      return listOf(text, from(subject), decoding());
    },
    async open(subject, path, { signal, idleMs = options.idleMs ?? IDLE_MS, accept }) {
      const stream = await requester.open(call(from(subject), { method: "GET", path, accept }), signal);
      const body = limitSilence(stream, idleMs, options.clock);
      const chunks = decompress(body, stream.headers["content-encoding"]);
      return Object.assign(chunks, { [Symbol.dispose]: () => void stream.destroy() });
    },
  };
}

function createReviewer(calls: Calls): Pick<ServerClient, "review"> {
  return {
    review(kind, spec) {
      const path = pathOf(kind, { namespace: "" });
      const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, spec };
      const request = { method: "POST", path, body, contentType: "application/json" };
      return calls.document({ kind, verb: "create" }, request);
    },
  };
}

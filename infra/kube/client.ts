import { apiVersionOf, type Kind, type KubeObject, type ObjectKey } from "../../shared/api/kinds.ts";
import { KubeError } from "../../shared/runtime/errors.ts";
import type { Clock, KubeClient, ListOptions, Log, WatchEvent } from "../../shared/runtime/ports.ts";
import { isAbsent, noAnswer, type RequestSubject, undecodable } from "./errors.ts";
import { createRequester, type Requester } from "./request.ts";
import { pathOf, selectorsOf, withQuery } from "./resource-path.ts";
import type { ServerAccess } from "./server-access.ts";
import { decodeEvents, limitSilence } from "./watch-stream.ts";

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

/** One page of a list. `first` starts over: what came before is void (the continuation had expired, KC-08). */
interface Page<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly first: boolean;
}

export interface ServerClient extends KubeClient {
  /** A list page by page, so that a large one never is in memory as a whole. */
  pages<T extends KubeObject>(kind: Kind<T>, options: ListOptions): AsyncGenerator<Page<T>>;
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
const PAGE_ITEMS = 500;
/** S-14. */
const OBJECT_LIMIT_BYTES = 10 * 1024 * 1024;
const PAGE_LIMIT_BYTES = 64 * 1024 * 1024;

const JSON_TYPE = "application/json";
const JSON_PATCH_TYPE = "application/json-patch+json";
const APPLY_TYPE = "application/apply-patch+yaml";

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

interface Send {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly list?: boolean;
}

function createClient({ requester, options, functionName, userAgent }: ClientParts): ServerClient {
  const fieldManager = encodeURIComponent(`capstan-${functionName}`);

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
  const send = async (subject: RequestSubject, request: Send): Promise<KubeObject> =>
    objectOf(await requester.send(call(subject, request)), subject);

  const page = async (kind: Kind, list: ListOptions, paging: { readonly [name: string]: string }) => {
    const path = withQuery(pathOf(kind, { namespace: list.namespace ?? "" }), {
      ...selectorsOf(list),
      ...paging,
    });
    return (await send({ kind, verb: "list" }, { method: "GET", path, list: true })) as unknown as ListBody;
  };

  async function* pages<T extends KubeObject>(kind: Kind<T>, list: ListOptions): AsyncGenerator<Page<T>> {
    const untyped = kind as unknown as Kind;
    let next: ListBody | undefined = await page(untyped, list, { limit: String(PAGE_ITEMS) });
    let first = true;
    while (next !== undefined) {
      yield { items: itemsOf<T>(next, untyped), resourceVersion: next.metadata.resourceVersion, first };
      first = false;
      const token: string | undefined = next.metadata.continue;
      if (token === undefined || token === "") return;
      try {
        next = await page(untyped, list, { limit: String(PAGE_ITEMS), continue: token });
      } catch (error) {
        if (!(error instanceof KubeError) || error.reason !== "Expired") throw error;
        next = await page(untyped, list, {});
        first = true;
      }
    }
  }

  return {
    pages,
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey) {
      const subject: RequestSubject = { kind: kind as unknown as Kind, key, verb: "get" };
      try {
        return (await send(subject, { method: "GET", path: pathOf(subject.kind, key) })) as T;
      } catch (error) {
        if (error instanceof KubeError && isAbsent(error)) return undefined;
        throw error;
      }
    },
    async list<T extends KubeObject>(kind: Kind<T>, list: ListOptions) {
      let items: T[] = [];
      let resourceVersion = "";
      for await (const part of pages(kind, list)) {
        if (part.first) items = [];
        items.push(...part.items);
        resourceVersion = part.resourceVersion;
      }
      return { items, resourceVersion };
    },
    create(kind, object) {
      const path = pathOf(kind, { namespace: object.metadata.namespace ?? "" });
      const name = Reflect.get(object.metadata, "name");
      const key = { namespace: object.metadata.namespace ?? "", name: typeof name === "string" ? name : "" };
      const query = `?fieldManager=${fieldManager}`;
      return send(
        { kind, key, verb: "create" },
        { method: "POST", path: path + query, body: object, contentType: JSON_TYPE },
      );
    },
    jsonPatch(kind, key, operations, subresource) {
      const path = `${pathOf(kind, key, subresource)}?fieldManager=${fieldManager}`;
      return send(
        { kind, key, verb: "patch" },
        { method: "PATCH", path, body: operations, contentType: JSON_PATCH_TYPE },
      );
    },
    apply(kind, key, body, subresource) {
      const path = `${pathOf(kind, key, subresource)}?force=true&fieldManager=${fieldManager}`;
      return send({ kind, key, verb: "apply" }, { method: "PATCH", path, body, contentType: APPLY_TYPE });
    },
    async delete(kind, key, preconditions) {
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: "Background",
        preconditions,
      };
      const path = pathOf(kind, key);
      try {
        const answer = await send(
          { kind, key, verb: "delete" },
          { method: "DELETE", path, body, contentType: JSON_TYPE },
        );
        return answer.kind === "Status" ? undefined : answer;
      } catch (error) {
        if (error instanceof KubeError && isAbsent(error)) return undefined;
        throw error;
      }
    },
    async *watch(kind, watch, signal): AsyncGenerator<WatchEvent> {
      const path = withQuery(pathOf(kind, { namespace: watch.namespace ?? "" }), {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion: watch.resourceVersion,
        timeoutSeconds: String(watch.timeoutSeconds),
        ...selectorsOf(watch),
      });
      const subject: RequestSubject = { kind, verb: "watch" };
      const stream = await requester.open(call(subject, { method: "GET", path }), signal);
      try {
        const chunks = limitSilence(stream, options.idleMs ?? IDLE_MS, options.clock);
        yield* decodeEvents(chunks, subject);
      } catch (error) {
        throw error instanceof KubeError ? error : noAnswer(error, subject, "the watch broke");
      } finally {
        stream.destroy();
      }
    },
  };
}

interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

/** Items of built-in kinds come without apiVersion and kind. */
function itemsOf<T extends KubeObject>(body: ListBody, kind: Kind): readonly T[] {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return (body.items ?? []).map((item) => (item.kind === undefined ? { ...type, ...item } : item) as T);
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

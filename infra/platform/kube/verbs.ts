import { apiVersionOf, type Kind, type KubeObject, type ObjectKey } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { Pod } from "../../../shared/api/workload.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import type { Clock, KubeClient } from "../../../shared/runtime/ports.ts";
import { EVICTION_TIMEOUT } from "../../../shared/runtime/write/evictions.ts";
import type { Decoding, ListBody } from "./answer.ts";
import { isAbsent, noAnswer, type RequestSubject } from "./errors.ts";
import type { Members } from "./kind-shapes.ts";
import { createListBounds } from "./list-bounds.ts";
import { mergePatchOf } from "./merge-patch.ts";
import { pathOf, selectorsOf, withQuery } from "./resource-path.ts";
import { decodeEvents, type ReceivedEvent } from "./watch-stream.ts";

const PAGE_ITEMS = 500;
const NOT_OLDER = "NotOlderThan";
const JSON_TYPE = "application/json";
const JSON_PATCH_TYPE = "application/json-patch+json";
const MERGE_PATCH_TYPE = "application/merge-patch+json";
const METADATA_LIST_TYPE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const METADATA_TYPE = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const APPLY_TYPE = "application/apply-patch+yaml";

/** One page of a list. `first` starts over: earlier pages are void (the continuation had expired, KC-08). */
interface Page<T extends KubeObject = KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly first: boolean;
  /** Length of its text. */
  readonly bytes: number;
}

interface PagesOptions extends ListOptions {
  /** The list is at least as new as this version, or refused: 410, or 504 with cause `ResourceVersionTooLarge`. */
  readonly atLeast?: string | undefined;
  /** Objects without spec, status and data, as PartialObjectMetadata. */
  readonly metadataOnly?: boolean | undefined;
  /** Ends the list, also while the server is silent: KubeError, reason NoAnswer. */
  readonly signal?: AbortSignal | undefined;
}

interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  /** First an ADDED for everything that exists, ended by a marked bookmark (watch-list, KR-05). */
  readonly sendInitialEvents?: boolean | undefined;
  /** Called once the server has answered that events follow. */
  readonly accepted?: (() => void) | undefined;
  /** Called with the length of each chunk of the body; the next is read only afterwards. */
  readonly received?: ((bytes: number) => Promise<void>) | undefined;
  /** Objects without spec, status and data. */
  readonly metadataOnly?: boolean | undefined;
  /** Longest silence, instead of the server's. */
  readonly idleMs?: number | undefined;
}

export interface ServerClient extends KubeClient {
  /** Lists page by page, so that a large list is never in memory as a whole. */
  pages<T extends KubeObject>(kind: Kind<T>, options: PagesOptions): AsyncGenerator<Page<T>>;
  watch(kind: Kind, options: WatchOptions, signal: AbortSignal): AsyncGenerator<ReceivedEvent>;
  /** Asks a question that the server answers and does not store, such as a TokenReview; returns it with its status. */
  review(kind: Kind, spec: object): Promise<Members>;
}

export interface Send {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string | undefined;
  readonly list?: boolean;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The requests of one function; everything about HTTP that its verbs share. */
export interface Calls {
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly clock: Clock;
  send(subject: RequestSubject, request: Send): Promise<KubeObject>;
  /** Returns an answer that is not an object of the API, by its members. */
  document(subject: RequestSubject, request: Send): Promise<Members>;
  open(
    subject: RequestSubject,
    path: string,
    until: {
      readonly signal: AbortSignal;
      readonly idleMs?: number | undefined;
      readonly accept?: string | undefined;
    },
  ): Promise<AsyncIterable<Buffer> & Disposable>;
  /** Returns a page of a list. */
  page(subject: RequestSubject, request: Send): Promise<ListBody>;
  /** Returns how to decode one answer or one stream of this server. */
  decoding(): Decoding;
  /** Returns the subject with the name of the server. */
  from(subject: RequestSubject): RequestSubject;
}

export function createReads(calls: Calls): Pick<ServerClient, "get" | "list" | "pages" | "watch"> {
  async function* pages<T extends KubeObject>(kind: Kind<T>, list: PagesOptions): AsyncGenerator<Page<T>> {
    const untyped = kind as unknown as Kind;
    const bounds = createListBounds(calls.from({ kind: untyped, verb: "list" }), calls.clock, list.maxItems);
    let next = await readPage(calls, untyped, list, { limit: limitOf(list), ...atLeastOf(list) });
    let first = true;
    for (;;) {
      const items = itemsOf<T>(next, untyped);
      const token = next.metadata.continue ?? "";
      bounds.check({ items: items.length, first, token });
      yield { items, resourceVersion: next.metadata.resourceVersion, first, bytes: next.bytes };
      if (token === "") return;
      ({ next, first } = await continueList(calls, untyped, list, token));
    }
  }
  return {
    pages,
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey) {
      const subject: RequestSubject = { kind: kind as unknown as Kind, key, verb: "get" };
      const found = calls.send(subject, { method: "GET", path: pathOf(subject.kind, key) });
      return (await orAbsent(found)) as T | undefined;
    },
    async list<T extends KubeObject>(kind: Kind<T>, list: ListOptions) {
      const isWanted = wantedBy(list);
      let items: T[] = [];
      let resourceVersion = "";
      for await (const part of pages(kind, list)) {
        if (part.first) items = [];
        items.push(...part.items.filter(isWanted));
        resourceVersion = part.resourceVersion;
      }
      return { items, resourceVersion };
    },
    async *watch(kind, watch, signal): AsyncGenerator<ReceivedEvent> {
      const path = withQuery(pathOf(kind, { namespace: watch.namespace ?? "" }), {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion: watch.resourceVersion,
        timeoutSeconds: String(watch.timeoutSeconds),
        ...(watch.sendInitialEvents === true
          ? { sendInitialEvents: "true", resourceVersionMatch: NOT_OLDER }
          : {}),
        ...selectorsOf(watch),
      });
      const subject = calls.from({ kind, verb: "watch" });
      const accept = watch.metadataOnly === true ? METADATA_TYPE : undefined;
      using chunks = await calls.open(subject, path, { signal, idleMs: watch.idleMs, accept });
      watch.accepted?.();
      try {
        yield* decodeEvents(chunks, subject, { ...calls.decoding(), received: watch.received });
      } catch (error) {
        throw error instanceof KubeError ? error : noAnswer(error, subject, "the watch broke");
      }
    },
  };
}

export function createWrites(
  calls: Calls,
): Pick<ServerClient, "create" | "jsonPatch" | "evict" | "apply" | "delete"> {
  const { dryRun } = calls;
  const query = `fieldManager=${calls.fieldManager}${dryRun ? "&dryRun=All" : ""}`;
  return {
    create(kind, object) {
      const namespace = object.metadata.namespace ?? "";
      const name = Reflect.get(object.metadata, "name");
      const subject = {
        kind,
        key: { namespace, name: typeof name === "string" ? name : "" },
        verb: "create",
      } as const;
      const path = `${pathOf(kind, { namespace })}?${query}`;
      return calls.send(subject, { method: "POST", path, body: object, contentType: JSON_TYPE });
    },
    async jsonPatch(kind, key, operations, subresource) {
      const path = `${pathOf(kind, key, subresource)}?${query}`;
      const subject = { kind, key, verb: "patch" } as const;
      const send = (contentType: string, body: object) =>
        calls.send(subject, { method: "PATCH", path, body, contentType });
      try {
        return await send(JSON_PATCH_TYPE, operations);
      } catch (error) {
        // Cluster API's in-memory workload servers know merge patches only.
        if (!(error instanceof KubeError) || error.status !== 415) throw error;
        const found = await calls.send(
          { ...subject, verb: "get" },
          { method: "GET", path: pathOf(kind, key) },
        );
        const merged = mergePatchOf(found, operations);
        if (merged === undefined) throw lostTest(error);
        return await send(MERGE_PATCH_TYPE, merged);
      }
    },
    async evict(key, { uid, gracePeriodSeconds, withinMs }) {
      // The server would count a dry run against a budget that another eviction uses up meanwhile: it proves nothing.
      if (dryRun) return undefined;
      const { namespace, name } = key;
      const body = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { namespace, name },
        deleteOptions: {
          preconditions: { uid },
          ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        },
      };
      const subject = { kind: Pod as unknown as Kind, key, verb: "evict" } as const;
      const path = pathOf(subject.kind, key, "eviction");
      const request = { method: "POST", path, body, contentType: JSON_TYPE, timeoutMs: withinMs };
      const deadlineAt = calls.clock.now().getTime() + withinMs;
      await calls.send(subject, request).catch((error: unknown) => {
        const isLate = calls.clock.now().getTime() >= deadlineAt;
        throw isLate && isUnanswered(error) ? evictionTimeout(error) : error;
      });
      return undefined;
    },
    apply(kind, key, body, subresource) {
      const path = `${pathOf(kind, key, subresource)}?force=true&${query}`;
      return calls.send(
        { kind, key, verb: "apply" },
        { method: "PATCH", path, body, contentType: APPLY_TYPE },
      );
    },
    async delete(kind, key, preconditions) {
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: "Background",
        preconditions,
        ...(dryRun ? { dryRun: ["All"] } : {}),
      };
      const request = { method: "DELETE", path: pathOf(kind, key), body, contentType: JSON_TYPE };
      const answer = await orAbsent(calls.send({ kind, key, verb: "delete" }, request));
      return answer?.kind === "Status" ? undefined : answer;
    },
  };
}

/** Returns whether an object of a list is one that its caller asked for. */
function wantedBy({ where }: ListOptions): (object: KubeObject) => boolean {
  if (where === undefined) return () => true;
  const values: ReadonlySet<unknown> = new Set(where.values);
  return (object) => values.has(valueAt(object, where.path));
}

function lostTest({ message }: KubeError): KubeError {
  return new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message });
}

/** Whether no turn for it came, or no answer. */
function isUnanswered(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 0;
}

function evictionTimeout({ message }: KubeError): KubeError {
  return new KubeError({ class: "Transient", status: 0, reason: EVICTION_TIMEOUT, message });
}

async function orAbsent(answer: Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && isAbsent(error)) return undefined;
    throw error;
  }
}

async function readPage(
  calls: Calls,
  kind: Kind,
  list: PagesOptions,
  paging: { readonly [name: string]: string },
) {
  const path = withQuery(pathOf(kind, { namespace: list.namespace ?? "" }), {
    ...selectorsOf(list),
    ...paging,
  });
  const accept = list.metadataOnly === true ? METADATA_LIST_TYPE : undefined;
  return calls.page({ kind, verb: "list" }, { method: "GET", path, accept, signal: list.signal });
}

/** Returns the page after a token; the whole list, without a limit, when the token has expired (KC-08). */
async function continueList(calls: Calls, kind: Kind, list: PagesOptions, token: string) {
  try {
    return {
      next: await readPage(calls, kind, list, { limit: limitOf(list), continue: token }),
      first: false,
    };
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== "Expired") throw error;
    return { next: await readPage(calls, kind, list, {}), first: true };
  }
}

function limitOf({ pageItems = PAGE_ITEMS }: PagesOptions): string {
  return String(pageItems);
}

function atLeastOf({ atLeast }: PagesOptions): { readonly [name: string]: string } {
  return atLeast === undefined ? {} : { resourceVersion: atLeast, resourceVersionMatch: NOT_OLDER };
}

/** Returns the items of a page, with apiVersion and kind: those of built-in kinds come without. */
function itemsOf<T extends KubeObject>(body: ListBody, kind: Kind): readonly T[] {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return (body.items ?? []).map((item) => (item.kind === undefined ? { ...type, ...item } : item) as T);
}

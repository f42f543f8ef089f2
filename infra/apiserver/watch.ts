import type { ServerResponse } from "node:http";
import type { Change, ChangeType, Collection } from "./collection.ts";
import { encodeChange, encodeEvent } from "./encode.ts";
import type { KubeObject } from "./kube-object.ts";
import { LineStream } from "./line-stream.ts";
import { type Selector, selectObjects, selector } from "./list.ts";
import { negotiate, type Representation } from "./negotiate.ts";
import { groupVersion } from "./registry.ts";
import type { ApiRequest } from "./request.ts";
import { invalidVersionText, parseVersion } from "./resource-version.ts";
import { isTrue } from "./router.ts";
import { type Cause, expired, invalid, StatusError } from "./status-error.ts";

const SECOND = 1_000;
/** Without `timeoutSeconds` a watch ends after 30 to 60 minutes, at random so that they do not end together. */
const TIMEOUT_MIN_SECONDS = 1_800;
const BOOKMARK_BEFORE_TIMEOUT_MS = 2 * SECOND;
const INITIAL_EVENTS_END = { "k8s.io/initial-events-end": "true" };

/** What a watch was asked for, checked. */
export interface WatchPlan {
  readonly request: ApiRequest;
  readonly representation: Representation;
  readonly selects: Selector;
  /** Changes after this version; undefined: first the present objects. */
  readonly since: number | undefined;
  readonly sendsBookmarks: boolean;
  readonly endsInitialEvents: boolean;
  readonly timeoutMs: number;
}

/** Checks the parameters of a watch. Throws StatusError before anything was sent. */
export function planWatch(request: ApiRequest): WatchPlan {
  const { query } = request;
  const asked = query.get("resourceVersion") ?? "";
  const version = asked === "" ? 0 : parseVersion(asked);
  if (version === undefined) throw new StatusError(500, "", invalidVersionText(asked));
  const sendInitial = query.get("sendInitialEvents");
  checkInitialEvents(query, sendInitial);
  const timeoutSeconds = Number.parseInt(query.get("timeoutSeconds") ?? "0", 10) || 0;
  const wantsInitial = sendInitial === null ? version === 0 : isTrue(sendInitial);
  return {
    request,
    representation: negotiate(request.accept, query.get("includeObject")),
    selects: selector(request),
    since: wantsInitial ? undefined : version === 0 ? request.server.storage.version : version,
    sendsBookmarks: isTrue(query.get("allowWatchBookmarks")),
    endsInitialEvents: sendInitial !== null && isTrue(sendInitial),
    timeoutMs: (timeoutSeconds || TIMEOUT_MIN_SECONDS * (1 + Math.random())) * SECOND,
  };
}

function checkInitialEvents(query: URLSearchParams, sendInitial: string | null): void {
  const match = query.get("resourceVersionMatch") ?? "";
  const causes: Cause[] = [];
  if (sendInitial === null && match !== "") {
    const message =
      "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    causes.push({ reason: "FieldValueForbidden", message, field: "resourceVersionMatch" });
  }
  if (sendInitial !== null && match !== "NotOlderThan") {
    const message =
      match === ""
        ? "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        : `Unsupported value: "${match}": supported values: "NotOlderThan"`;
    const reason = match === "" ? "FieldValueForbidden" : "FieldValueNotSupported";
    causes.push({ reason, message, field: "resourceVersionMatch" });
  }
  if (causes.length > 0) throw invalid("meta.k8s.io", "ListOptions", "", causes);
}

/** Serves a watch until its timeout, the client, or the server ends it; the headers have been sent. */
export function serveWatch(plan: WatchPlan, response: ServerResponse): void {
  const { server, target } = plan.request;
  const collection = server.storage.collection(target.type.id);
  const stream = new EventStream(plan, response);
  const missed = plan.since === undefined ? [] : collection.since(plan.since);
  if (!missed) {
    stream.fail(expired(`too old resource version: ${plan.since} (${collection.compactedAt})`).toStatus());
    return;
  }
  if (plan.since === undefined) {
    for (const object of selectObjects(plan.request)) stream.sendObject("ADDED", object);
    if (plan.endsInitialEvents && plan.sendsBookmarks)
      stream.sendBookmark(server.storage.version, INITIAL_EVENTS_END);
  }
  for (const change of missed) stream.sendChange(change);
  follow(plan, collection, stream, response);
}

function follow(
  plan: WatchPlan,
  collection: Collection,
  stream: EventStream,
  response: ServerResponse,
): void {
  const { server } = plan.request;
  const watcher = { tell: (change: Change) => stream.sendChange(change), end: () => stream.end() };
  collection.watchers.add(watcher);
  const bookmark = () => stream.sendBookmark(Math.max(server.storage.version, plan.since ?? 0), undefined);
  const timers = [setTimeout(() => stream.end(), plan.timeoutMs)];
  if (plan.sendsBookmarks) {
    timers.push(setInterval(bookmark, server.bookmarkIntervalMs));
    const beforeEnd = plan.timeoutMs - BOOKMARK_BEFORE_TIMEOUT_MS;
    if (beforeEnd > 0) timers.push(setTimeout(bookmark, beforeEnd));
  }
  const stop = () => stream.end();
  server.stopped.addEventListener("abort", stop);
  response.once("close", () => {
    collection.watchers.delete(watcher);
    server.stopped.removeEventListener("abort", stop);
    for (const timer of timers) clearTimeout(timer);
  });
}

/** The events of one watch, as its selectors and representation show them. */
class EventStream {
  readonly #plan: WatchPlan;
  readonly #lines: LineStream;
  #sent = 0;

  constructor(plan: WatchPlan, response: ServerResponse) {
    this.#plan = plan;
    this.#lines = new LineStream(response);
  }

  sendObject(type: ChangeType, object: KubeObject): void {
    this.#lines.send(encodeEvent(this.#plan.request.target, type, object, this.#manner()));
  }

  /** Passes a change on as the selectors see it: an object may begin or cease to match. */
  sendChange(change: Change): void {
    const { request, selects, since } = this.#plan;
    if (since !== undefined && change.version <= since) return;
    const { namespace } = request.target;
    if (namespace !== undefined && !change.key.startsWith(`${namespace}/`)) return;
    const matches = selects.matches(change.object);
    const matched = change.previous !== undefined && selects.matches(change.previous);
    const as = seenAs(change.type, matched, matches);
    if (as) this.#lines.send(encodeChange(request.target, change, as, this.#manner()));
  }

  sendBookmark(version: number, annotations: Readonly<Record<string, string>> | undefined): void {
    const { type, served } = this.#plan.request.target;
    const metadata = {
      resourceVersion: String(version),
      creationTimestamp: null,
      ...(annotations ? { annotations } : {}),
    };
    const full = { kind: type.kind, apiVersion: groupVersion(type.group, served.version), metadata };
    const shape = this.#plan.representation.shape;
    const table = {
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata,
      columnDefinitions: null,
      rows: [],
    };
    const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
    const object = shape === "full" ? full : shape === "table" ? table : partial;
    this.#lines.send(`{"type":"BOOKMARK","object":${JSON.stringify(object)}}\n`);
  }

  fail(status: object): void {
    this.#lines.send(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
    this.end();
  }

  end(): void {
    this.#lines.end();
  }

  #manner() {
    const { representation } = this.#plan;
    const withColumns = this.#sent === 0 && representation.shape === "table";
    this.#sent++;
    return { representation, withColumns, now: new Date() };
  }
}

/** What a change is to a watch whose selectors matched before, after, both or neither. */
function seenAs(type: ChangeType, matched: boolean, matches: boolean): ChangeType | undefined {
  if (type === "DELETED") return matched || matches ? "DELETED" : undefined;
  if (matched && matches) return "MODIFIED";
  if (matches) return "ADDED";
  return matched ? "DELETED" : undefined;
}

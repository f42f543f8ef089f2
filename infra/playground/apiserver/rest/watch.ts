import type { Clock } from "../../../../shared/runtime/ports.ts";
import { type Cause, expired, invalid, StatusError } from "../errors/status-error.ts";
import type { StreamEffect } from "../faults/faults.ts";
import { faultyLines } from "../faults/inject.ts";
import { groupVersion } from "../kinds/registry.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { checkIncluded, negotiate, type Representation } from "../request/body.ts";
import type { ApiRequest, Lines, Stream } from "../request/request.ts";
import { isTrue } from "../request/router.ts";
import { allSoon, type Soon, useSoon } from "../soon.ts";
import type { Change, ChangeType, Collection } from "../storage/collection.ts";
import { encodeChange, encodeEvent, representEach } from "./encode.ts";
import { invalidVersionText, parseVersion, type Selector, selectObjects, selector } from "./list.ts";

/** The most lines: as many may wait for a webhook as may wait for a reader. */
const WAITING_MAX_LINES = 1_000;

/**
 * Sends the lines of a watch in the order they were given, though a webhook may have to be asked for some of them
 * first. A line that cannot be made ends the watch with an ERROR event; only its reader is disturbed. Differs: the real
 * server is silent until the webhook is back, and so are lists of what it had converted before.
 */
export class LineOrder {
  readonly #lines: Lines;
  #waiting = 0;
  /** Settled when the last line that waits has been sent. */
  #last: Promise<void> = Promise.resolve();
  #hasEnded: boolean = false;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  send(line: Soon<string>): void {
    if (this.#hasEnded) return;
    if (this.#waiting === 0 && typeof line === "string") this.#lines.send(line);
    else if (this.#waiting === WAITING_MAX_LINES) this.reset();
    else this.#sendInTurn(Promise.resolve(line));
  }

  #sendInTurn(line: Promise<string>): void {
    // Its turn may come long after it failed.
    line.catch(() => undefined);
    this.#waiting++;
    this.#last = this.#last
      .then(() => line)
      .then((made) => {
        this.#waiting--;
        if (!this.#hasEnded) this.#lines.send(made);
      })
      .catch((error: unknown) =>
        this.fail(error instanceof StatusError ? error : new StatusError(500, "", String(error))),
      );
  }

  /** Ends with an ERROR event at once. */
  fail(error: StatusError): void {
    if (this.#hasEnded) return;
    this.#lines.send(`{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
    this.end();
  }

  /** Ends at once, whatever still waits. */
  end(): void {
    this.#hasEnded = true;
    this.#lines.end();
  }

  reset(): void {
    this.#hasEnded = true;
    this.#lines.reset();
  }
}

const SECOND = 1_000;
/** The shortest watch without `timeoutSeconds`: it ends after 30 to 60 minutes, so that not all end together. */
const TIMEOUT_MIN_SECONDS = 1_800;
const BOOKMARK_BEFORE_TIMEOUT_MS = 2 * SECOND;
const INITIAL_EVENTS_END = { "k8s.io/initial-events-end": "true" };

/** Checked parameters of a watch. */
interface WatchPlan {
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
  const representation = negotiate(request.accept, query.get("includeObject"));
  checkIncluded(representation);
  const wantsInitial = sendInitial === null ? version === 0 : isTrue(sendInitial);
  return {
    request,
    representation,
    selects: selector(request),
    since: wantsInitial ? undefined : version === 0 ? request.server.storage.version : version,
    sendsBookmarks: isTrue(query.get("allowWatchBookmarks")),
    endsInitialEvents: wantsInitial,
    timeoutMs: (timeoutSeconds || TIMEOUT_MIN_SECONDS * (1 + request.server.random.number())) * SECOND,
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
    const field = "resourceVersionMatch";
    const message = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    causes.push({ reason: "FieldValueForbidden", message, field });
    if (match !== "") {
      const unsupported = `Unsupported value: "${match}": supported values: "NotOlderThan"`;
      causes.push({ reason: "FieldValueNotSupported", message: unsupported, field });
    }
  }
  if (causes.length > 0) throw invalid("meta.k8s.io", "ListOptions", "", causes);
}

/**
 * Serves a watch until its timeout, the client, the server or an injected fault ends it; the headers have been sent.
 */
export function serveWatch(plan: WatchPlan, lines: Stream, fault?: StreamEffect): void {
  const { server, target } = plan.request;
  const collection = server.storage.collection(target.type.id);
  const stream = new EventStream(plan, fault ? faultyLines(fault, lines, server.clock) : lines);
  const missed = plan.since === undefined ? [] : collection.since(plan.since);
  if (!missed) {
    stream.fail(expired(`too old resource version: ${plan.since} (${collection.compactedAt})`));
    return;
  }
  if (plan.since === undefined) {
    stream.sendPresent(representEach(target.type, target.served, selectObjects(plan.request)));
    if (plan.endsInitialEvents && plan.sendsBookmarks)
      stream.sendBookmark(server.storage.version, INITIAL_EVENTS_END);
  }
  // A webhook is asked one question for all of them.
  const objects = missed.map(({ object }) => object);
  representEach(target.type, target.served, objects);
  for (const change of missed) stream.sendChange(change);
  follow(plan, collection, stream, lines);
}

function follow(plan: WatchPlan, collection: Collection, stream: EventStream, lines: Stream): void {
  const { server } = plan.request;
  const { clock, bookmarkIntervalMs } = server;
  const watcher = { notify: (change: Change) => stream.sendChange(change), end: () => stream.end() };
  collection.watchers.add(watcher);
  const bookmark = () => stream.sendBookmark(Math.max(server.storage.version, plan.since ?? 0), undefined);
  const timers = [clock.after(plan.timeoutMs, () => stream.end())];
  if (plan.sendsBookmarks) {
    timers.push(every(bookmarkIntervalMs, bookmark, clock));
    const beforeEnd = plan.timeoutMs - BOOKMARK_BEFORE_TIMEOUT_MS;
    if (beforeEnd > 0) timers.push(clock.after(beforeEnd, bookmark));
  }
  const stop = () => stream.end();
  server.stopped.addEventListener("abort", stop);
  lines.onClose(() => {
    collection.watchers.delete(watcher);
    server.stopped.removeEventListener("abort", stop);
    for (const cancel of timers) cancel();
  });
}

/** Returns how to stop. */
function every(ms: number, callback: () => void, clock: Clock): () => void {
  let cancel = clock.after(ms, again);
  function again(): void {
    callback();
    cancel = clock.after(ms, again);
  }
  return () => cancel();
}

/** The events of one watch, as its selectors and representation show them. */
class EventStream {
  readonly #plan: WatchPlan;
  readonly #lines: LineOrder;
  #sent = 0;

  constructor(plan: WatchPlan, lines: Lines) {
    this.#plan = plan;
    this.#lines = new LineOrder(lines);
  }

  /**
   * Returns the existing objects before any change; all together when one of them must be awaited, so that
   * their number needs no bound.
   */
  sendPresent(objects: readonly Soon<KubeObject>[]): void {
    const { target } = this.#plan.request;
    const lines = objects.map((object) => {
      const manner = this.#manner();
      return useSoon(object, (shown) => encodeEvent(target, "ADDED", shown, manner));
    });
    const made = allSoon(lines);
    if (made instanceof Promise) this.#lines.send(made.then((all) => all.join("")));
    else for (const line of made) this.#lines.send(line);
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
    if (as) this.#lines.send(encodeChange(this.#plan.request.target, change, as, this.#manner()));
  }

  sendBookmark(version: number, annotations: Readonly<Record<string, string>> | undefined): void {
    const { target } = this.#plan.request;
    const bookmark = {
      kind: target.type.kind,
      apiVersion: groupVersion(target.type.group, target.served.version),
      metadata: { resourceVersion: String(version), ...(annotations ? { annotations } : {}) },
    };
    // It has no more than a version, unlike an object.
    this.#lines.send(encodeEvent(target, "BOOKMARK", bookmark as unknown as KubeObject, this.#manner()));
  }

  fail(error: StatusError): void {
    this.#lines.fail(error);
  }

  end(): void {
    this.#lines.end();
  }

  #manner() {
    const { representation } = this.#plan;
    const withColumns = this.#sent === 0 && representation.shape === "table";
    this.#sent++;
    return { representation, withColumns, now: this.#plan.request.server.clock.now() };
  }
}

/** Returns the type of a change for a watch whose selectors matched before, after, both or neither. */
function seenAs(type: ChangeType, matched: boolean, matches: boolean): ChangeType | undefined {
  if (type === "DELETED") return matched || matches ? "DELETED" : undefined;
  if (matched && matches) return "MODIFIED";
  if (matches) return "ADDED";
  return matched ? "DELETED" : undefined;
}

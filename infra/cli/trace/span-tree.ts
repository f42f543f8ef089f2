import { escaped } from "../../platform/terminal/escape.ts";
import type { Branch } from "../tree/draw-tree.ts";
import type { ReadSpan } from "./read-spans.ts";

/** Deeper chains are cut: a drawing that wide is not read. */
const MAX_DEPTH = 60;

/**
 * Returns what happened to a Cluster, `<namespace>/<name>`, as a tree: events from outside, the runs that each has woken,
 * their writes, and the runs that these have woken, also when they belong to the trace of another Cluster. Runs that have
 * neither written nor failed are counted. Undefined when no span is about it.
 */
export function spanTree(spans: readonly ReadSpan[], cluster: string): Branch | undefined {
  const inTime = spans.toSorted((a, b) => a.startMs - b.startMs);
  const tree = new Tree(inTime);
  const own = inTime.filter((span) => clusterOf(span) === cluster);
  const roots = own.filter((span) => tree.isRoot(span));
  const [first] = roots;
  if (first === undefined) return undefined;
  const drawn = roots.map((span) => ({ span, branches: tree.branchesOf(span, first.startMs) }));
  // Written by a run of another Cluster that no root of this one has led to.
  for (const span of own) {
    if (!tree.isForeign(span)) continue;
    drawn.push({ span, branches: tree.branchesOf(span, first.startMs) });
  }
  const title = `${cluster}, trace ${first.traceId}, ${new Date(first.startMs).toISOString()}`;
  return {
    lines: [escaped(title)],
    children: drawn.toSorted((a, b) => a.span.startMs - b.span.startMs).flatMap(({ branches }) => branches),
  };
}

/** Tenants that spans are about, in the order of their first spans. */
export function clustersIn(spans: readonly ReadSpan[]): readonly string[] {
  return [...new Set(spans.map(clusterOf).filter((cluster) => cluster !== undefined))];
}

/** The tenant of an event or a run; requests have none. */
function clusterOf({ attributes }: ReadSpan): string | undefined {
  return attributes["capstan.tenant"] ?? attributes["capstan.key"]?.split("|")[0];
}

class Tree {
  readonly #children: ReadonlyMap<string, readonly ReadSpan[]>;
  readonly #waits: ReadonlyMap<string, ReadSpan>;
  readonly #known: ReadonlySet<string>;
  readonly #writes: ReadonlyMap<string, ReadSpan>;
  readonly #eventsOf: ReadonlyMap<string, readonly ReadSpan[]>;
  readonly #drawn = new Set<ReadSpan>();

  constructor(spans: readonly ReadSpan[]) {
    this.#known = new Set(spans.map(idOf));
    this.#writes = new Map(spans.filter(isRequest).map((span) => [span.spanId, span]));
    this.#children = Map.groupBy(spans, parentOf);
    this.#waits = new Map(spans.filter(isWait).map((span) => [waitId(span, span.endMs), span]));
    this.#eventsOf = Map.groupBy(spans.filter(isEvent), ({ links: [write = ""] }) => write);
  }

  /** An event that no request of the file has made, or a run whose event is not in it. */
  isRoot(span: ReadSpan): boolean {
    if (isEvent(span)) return !this.#writes.has(span.links[0] ?? "");
    if (isWait(span) || isRequest(span)) return false;
    return !this.#known.has(parentOf(span));
  }

  /** An event that a run of another trace has written, and that is not drawn yet. */
  isForeign(span: ReadSpan): boolean {
    const write = this.#writes.get(span.links[0] ?? "");
    return isEvent(span) && !this.#drawn.has(span) && write !== undefined && write.traceId !== span.traceId;
  }

  /** Draws an event from outside, or a run. Nothing for a run that has neither written nor failed. */
  branchesOf(span: ReadSpan, startMs: number, depth = 0): readonly Branch[] {
    if (this.#drawn.has(span) || depth > MAX_DEPTH) return [];
    this.#drawn.add(span);
    const at = `+${Math.round(span.startMs - startMs)} ms`;
    if (isEvent(span)) return [this.#withRuns(`${at} ${eventText(span)}`, [span], { startMs, depth })];
    const writes = this.#childrenOf(span).filter((each) => isRequest(each) && !isRead(each));
    if (writes.length === 0 && span.error === undefined) return [];
    const children = writes.map((write) => {
      const events = this.#eventsOf.get(write.spanId) ?? [];
      return this.#withRuns(requestText(write), events, { startMs, depth });
    });
    return [{ lines: [escaped(this.#runText(span, at))], children }];
  }

  /** A change with the runs that its events have woken. */
  #withRuns(text: string, events: readonly ReadSpan[], { startMs, depth }: Place): Branch {
    for (const event of events) this.#drawn.add(event);
    const runs = events.flatMap((event) => this.#childrenOf(event)).filter((each) => !isWait(each));
    const children = runs.flatMap((run) => this.branchesOf(run, startMs, depth + 1));
    const idle = runs.length - children.length;
    const rest = idle === 0 ? "" : `, ${idle} ${idle === 1 ? "run" : "runs"} without a write`;
    return { lines: [escaped(`${text}${rest}`)], children };
  }

  #runText(span: ReadSpan, at: string): string {
    const wait = this.#waits.get(waitId(span, span.startMs));
    const waited = wait === undefined ? "" : `waited ${msText(wait)}, `;
    const failed = span.error === undefined ? "" : `, failed: ${span.error}`;
    return `${at} ${span.name}: ${waited}ran ${msText(span)}${failed}`;
  }

  #childrenOf(span: ReadSpan): readonly ReadSpan[] {
    return this.#children.get(idOf(span)) ?? [];
  }
}

interface Place {
  readonly startMs: number;
  readonly depth: number;
}

function idOf({ traceId, spanId }: ReadSpan): string {
  return `${traceId} ${spanId}`;
}

function parentOf({ traceId, parentSpanId = "" }: ReadSpan): string {
  return `${traceId} ${parentSpanId}`;
}

function isEvent({ attributes }: ReadSpan): boolean {
  return attributes["capstan.change"] !== undefined;
}

function isWait({ name }: ReadSpan): boolean {
  return name.startsWith("wait ");
}

function isRequest({ attributes }: ReadSpan): boolean {
  return attributes["capstan.audit_id"] !== undefined;
}

function isRead({ name }: ReadSpan): boolean {
  return /^(?:get|list) /.test(name);
}

/** A wait ends when its run starts. */
function waitId({ traceId, name, attributes }: ReadSpan, atMs: number): string {
  return `${traceId} ${name.replace(/^wait /, "")} ${attributes["capstan.key"]} ${atMs}`;
}

function eventText(span: ReadSpan): string {
  const { "capstan.object": object = "", "capstan.change": change = "" } = span.attributes;
  return `${object} ${change}${phaseText(span)}`;
}

function requestText(span: ReadSpan): string {
  const { "capstan.object": object = "", "http.response.status_code": code = "" } = span.attributes;
  const [, name = ""] = object.split(" ");
  return `${span.name} ${name}: ${code} after ${msText(span)}${phaseText(span)}`;
}

function phaseText({ attributes: { "capstan.phase": phase } }: ReadSpan): string {
  return phase === undefined ? "" : `, phase ${phase}`;
}

function msText({ startMs, endMs }: ReadSpan): string {
  return `${Math.round(endMs - startMs)} ms`;
}

import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Problem } from "../../operate/explain/problem.ts";
import { type Cursor, checkPageLimit, formatCursor, parseCursor } from "../../platform/cursor.ts";
import { errorPattern } from "../../queue/letters/error-pattern.ts";
import {
  CLUSTER_STATES,
  type ClusterState,
  type FleetItem,
  type FleetOrder,
  MAX_NEEDS,
  type Need,
} from "../api/fleet.ts";
import { type Sight, sees } from "../viewer.ts";
import type { ClusterFacts, Concern } from "./cluster-facts.ts";
import { type Standing, standingOf } from "./standing.ts";
import type { ClusterTroubles, Troubles } from "./troubles.ts";

export interface FleetSelection {
  readonly sight: Sight;
  readonly states?: readonly ClusterState[] | undefined;
  readonly namespace?: string | undefined;
  readonly version?: string | undefined;
  readonly provider?: string | undefined;
  /** `NAMESPACE/NAME`: Clusters in the state of this one, for its reason. */
  readonly like?: string | undefined;
  /** The order; default: the worst first. */
  readonly sort?: FleetOrder | undefined;
  /** Words that all stand in the name, the reason, the phase, the version or the provider. */
  readonly q?: string | undefined;
  /** 1 to 200. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** A page of Clusters, worst first unless another order is asked for, of equal ones the longest in its state first. */
export interface FleetList {
  readonly items: readonly FleetItem[];
  /** Clusters that need a person, of all that match, worst first; Clusters of one reason are one. */
  readonly needs: readonly Need[];
  /** The cursor of the next page, opaque; absent on the last one. */
  readonly next?: string | undefined;
  /** The counts of all that match, whatever `states` asks for. */
  readonly counts: Readonly<Record<ClusterState, number>>;
  readonly total: number;
}

/** All Clusters with their standing, in memory. */
export interface Roster {
  /** `problem` is the one that must be mended first. */
  set(facts: ClusterFacts, problem?: Problem): void;
  delete(name: string): void;
  names(): readonly string[];
  /** Judges a Cluster again. */
  judge(name: string): void;
  /** Clusters whose keys no worker takes, and why; returns those of which that has changed. */
  setHeld(held: ReadonlyMap<string, Concern>): ReadonlySet<string>;
  held(): ReadonlyMap<string, Concern>;
  /** Sets why nothing may be called healthy; every Cluster must be judged again after it. */
  setStale(reason: string | undefined): void;
  get(name: string): FleetItem | undefined;
  /** Throws a TypeError for a limit out of range or a foreign cursor. */
  page(selection: FleetSelection): FleetList;
  /** Clusters that stand otherwise than at the last call. */
  takeChanged(): ReadonlySet<string>;
}

/** The place in the order is also a cursor. */
interface Entry extends Cursor {
  readonly facts: ClusterFacts;
  readonly problem: Problem | undefined;
  readonly standing: Standing;
  readonly troubles: ClusterTroubles | undefined;
  /** Clusters of one cause have one; undefined: none needs a person. */
  readonly cause: string | undefined;
}

/** States in which a person may have to do something. */
const NEEDS_A_PERSON: readonly ClusterState[] = ["dead", "failing", "unreachable", "waiting"];
const MAX_PAGE = 200;
const MAX_WORDS = 10;

export function createRoster(troubles: Pick<Troubles, "of">, clock: Pick<Clock, "now">): Roster {
  const entries = new Map<string, Entry>();
  const order = createOrder();
  let changed = new Set<string>();
  let stale: string | undefined;
  let held: ReadonlyMap<string, Concern> = new Map();
  const put = (facts: ClusterFacts, problem?: Problem): void => {
    const name = nameOf(facts);
    const before = entries.get(name);
    const found = troubles.of(name);
    const worst = found?.worst[0];
    const standing = standingOf(facts, { problem, worst }, { now: clock.now(), stale, held: held.get(name) });
    const entry = {
      ...{ facts, problem, standing, troubles: found, cause: causeOf(facts, standing) },
      ...placeOf(facts, standing),
    };
    entries.set(name, entry);
    if (before !== undefined && isSame(before, entry)) return;
    order.replace(before, entry);
    changed.add(name);
  };
  return {
    set: put,
    delete: (name) => {
      const before = entries.get(name);
      if (before === undefined) return;
      entries.delete(name);
      order.replace(before, undefined);
      changed.add(name);
    },
    names: () => [...entries.keys()],
    judge: (name) => {
      const entry = entries.get(name);
      if (entry !== undefined) put(entry.facts, entry.problem);
    },
    setHeld: (next) => {
      const names = new Set([...held.keys(), ...next.keys()]);
      const before = held;
      held = next;
      return new Set([...names].filter((name) => before.get(name)?.text !== next.get(name)?.text));
    },
    held: () => held,
    setStale: (reason) => {
      stale = reason;
    },
    get: (name) => {
      const entry = entries.get(name);
      return entry && itemOf(entry);
    },
    page: (selection) => pageOf(order.all, selection, selection.like && entries.get(selection.like)?.cause),
    takeChanged: () => {
      const taken = changed;
      changed = new Set();
      return taken;
    },
  };
}

function nameOf({ namespace, name }: Pick<ClusterFacts, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

/** Each names its own objects in its reason. */
function causeOf({ namespace, name }: ClusterFacts, { state, reason = "" }: Standing): string | undefined {
  if (!NEEDS_A_PERSON.includes(state)) return undefined;
  return `${state} ${errorPattern(reason.replaceAll(name, "…"), [namespace, name])}`;
}

/** A text that sorts behind every time. */
const LAST = "~";

function placeOf(facts: ClusterFacts, { state, since }: Standing): Cursor {
  return { score: CLUSTER_STATES.indexOf(state), member: `${since ?? LAST} ${nameOf(facts)}` };
}

/** Entries in their order, changed one by one: sorting all of them for each page would hold up everything else. */
function createOrder() {
  const all: Entry[] = [];
  const placeOfEntry = (entry: Entry): number => {
    let [from, to] = [0, all.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = all[middle];
      if (other !== undefined && compareEntries(other, entry) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    all: all as readonly Entry[],
    replace: (before: Entry | undefined, after: Entry | undefined): void => {
      if (before !== undefined && after !== undefined && compareEntries(before, after) === 0) {
        all[placeOfEntry(after)] = after;
        return;
      }
      if (before !== undefined) all.splice(placeOfEntry(before), 1);
      if (after !== undefined) all.splice(placeOfEntry(after), 0, after);
    },
  };
}

function compareEntries(a: Cursor, b: Cursor): number {
  return a.score - b.score || compareText(a.member, b.member);
}

/** Time passes for all Clusters, and few of them stand otherwise by that. */
function isSame(a: Entry, b: Entry): boolean {
  if (a.facts !== b.facts) return JSON.stringify(itemOf(a)) === JSON.stringify(itemOf(b));
  return (
    a.standing.state === b.standing.state &&
    a.standing.reason === b.standing.reason &&
    a.member === b.member &&
    a.troubles?.dead === b.troubles?.dead &&
    a.troubles?.failing === b.troubles?.failing
  );
}

function itemOf({ facts, standing, troubles }: Entry): FleetItem {
  const { namespace, name, phase, version, provider, machines } = facts;
  const { dead = 0, failing = 0 } = troubles ?? {};
  return { namespace, name, ...standing, phase, version, provider, machines, deadLetters: dead, failing };
}

/** Returns a page; `cause` is that of the Cluster that those of the page are like. */
function pageOf(order: readonly Entry[], selection: FleetSelection, cause: string | undefined): FleetList {
  const { states, like, limit, sort, after } = selection;
  checkPageLimit(limit, MAX_PAGE);
  const start = after === undefined ? undefined : parseCursor(after);
  const matching = order.filter(isIn(selection));
  const wanted = matching
    .filter((entry) => states === undefined || states.includes(entry.standing.state))
    .filter((entry) => like === undefined || (cause !== undefined && entry.cause === cause));
  const sorted = sort === undefined ? wanted : inOrderOf(wanted, sort);
  const listed = sorted.filter((entry) => start === undefined || compareEntries(start, entry) < 0);
  const shown = listed.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(itemOf),
    needs: needsOf(matching),
    next: last === undefined || listed.length === shown.length ? undefined : formatCursor(last),
    counts: countStates(matching),
    total: matching.length,
  };
}

/** Entries with their places in another order; a place is also a cursor. */
function inOrderOf(entries: readonly Entry[], sort: FleetOrder): readonly Entry[] {
  const sortValue = ({ facts }: Entry): string => (sort === "machines" ? "" : (facts[sort] ?? LAST));
  return entries
    .map((entry) => ({
      ...entry,
      // The most Machines first.
      score: sort === "machines" ? -entry.facts.machines.desired : 0,
      member: `${sortValue(entry)} ${nameOf(entry.facts)}`,
    }))
    .toSorted(compareEntries);
}

/** Returns the first of equal causes, as the entries are in their order. */
function needsOf(entries: readonly Entry[]): readonly Need[] {
  const counts = new Map<string, { readonly first: Entry; count: number }>();
  for (const entry of entries) {
    if (entry.cause === undefined) continue;
    const known = counts.get(entry.cause);
    if (known === undefined) counts.set(entry.cause, { first: entry, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].slice(0, MAX_NEEDS).map(({ first, count }) => ({ ...itemOf(first), count }));
}

function countStates(entries: readonly Entry[]): FleetList["counts"] {
  const counts = Object.fromEntries(CLUSTER_STATES.map((state) => [state, 0])) as Record<
    ClusterState,
    number
  >;
  for (const { standing } of entries) counts[standing.state] += 1;
  return counts;
}

/** Selects by everything but the state. */
function isIn({ sight, namespace, version, provider, q = "" }: FleetSelection): (entry: Entry) => boolean {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
  return (entry) =>
    sees({ sight }, entry.facts.namespace) &&
    (namespace === undefined || entry.facts.namespace === namespace) &&
    (version === undefined || entry.facts.version === version) &&
    (provider === undefined || entry.facts.provider === provider) &&
    matches(entry, words);
}

function matches({ facts, standing }: Entry, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { phase = "", version = "", provider = "" } = facts;
  const text = `${nameOf(facts)} ${phase} ${version} ${provider} ${standing.reason ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

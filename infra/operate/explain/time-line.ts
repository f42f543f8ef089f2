import { tenantOf } from "../../../shared/api/indexes.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { reconcilersOf } from "../../../shared/function/reconcilers.ts";
import type { RunEntry, RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import { formatKey, type Key } from "../../../shared/runtime/queue/key.ts";
import { checkPageLimit, compareCursors, type PageSelection, pageOf } from "../../platform/cursor.ts";
import type { ObjectNode } from "./object-tree.ts";

/** A function and one of its objects. */
export interface Lane {
  readonly function: string;
  readonly key: Key;
}

/** One run, by the id in logs and audit log. */
interface RunPlace extends Lane {
  readonly runId: string;
}

/** A run with its neighbours in the chain of causes. */
export interface LinkedRun extends RunEntry, Lane {
  /** The run that wrote the version of each cause, in their order; null: a person, a provider, or forgotten. */
  readonly causedBy: readonly (RunPlace | null)[];
  /** Runs that its writes caused, newest first, at most 20. */
  readonly caused: readonly RunPlace[];
}

export interface TimeLine {
  /** Newest first. */
  readonly items: readonly LinkedRun[];
  /** The cursor of the next page, opaque; absent on the last one. */
  readonly next?: string | undefined;
  /** The oldest run that is known, RFC 3339. */
  readonly knownSince?: string | undefined;
}

/** A selection of runs; `limit`: 1 to 200. */
export interface TimeLineSelection extends PageSelection {
  /** Runs of these only; the chain leads through all lanes. Absent: all. */
  readonly of?: ReadonlySet<Key> | undefined;
  readonly function?: string | undefined;
  readonly only?: "failed" | "wrote" | undefined;
}

/** Keys that are read for one time line. */
const MAX_LANES = 1_000;
const MAX_CAUSED = 20;
const MAX_PAGE = 200;

/** Returns the lanes of all objects in a tree, each function with each object that it reconciles. */
export function lanesOf(functions: readonly AnyFunction[], node: ObjectNode): readonly Lane[] {
  const { kind, key, object, children } = node;
  const own = reconcilersOf(functions, kind);
  const lanes = own.flatMap(({ spec }) => {
    if (object === undefined) return [];
    const tenant = tenantOf(spec.reconciles, object);
    return [{ function: spec.name, key: formatKey({ ...key, kind: kind.kind, tenant }) }];
  });
  return [...lanes, ...children.flatMap((child) => lanesOf(functions, child))].slice(0, MAX_LANES);
}

/**
 * Returns the runs of lanes, each with the runs that caused it and those that it caused: a cause names the version of an
 * object, and so does the write that made it. Throws a TypeError for a limit out of range and a foreign cursor.
 */
export async function timeLine(
  history: Pick<RunHistory, "runs">,
  lanes: readonly Lane[],
  { of, function: name, only, limit, after }: TimeLineSelection,
): Promise<TimeLine> {
  checkPageLimit(limit, MAX_PAGE);
  const read = lanes.map(async (lane) =>
    (await history.runs(lane.function, lane.key)).map((run) => ({ ...run, ...lane })),
  );
  const runs = linked((await Promise.all(read)).flat());
  const found = runs.filter(
    (run) =>
      (of === undefined || of.has(run.key)) &&
      (name === undefined || run.function === name) &&
      isWanted(run, only),
  );
  return { ...pageOf(found, placeOf, { limit, after }), knownSince: runs.at(-1)?.endedAt };
}

function isWanted({ outcome, writes }: RunEntry, only: TimeLineSelection["only"]): boolean {
  if (only === "failed") return outcome === "error";
  return only === undefined || writes.length > 0;
}

/** Returns the place in a list, the newest first. */
function placeOf({ endedAt, runId }: RunEntry) {
  return { score: -Date.parse(endedAt), member: runId };
}

type LaneRun = RunEntry & Lane;

function linked(runs: readonly LaneRun[]): readonly LinkedRun[] {
  const ordered = runs.toSorted((a, b) => compareCursors(placeOf(a), placeOf(b)));
  const writers = new Map<string, RunPlace>();
  // The oldest last: a version is made once.
  for (const run of ordered)
    for (const { what, resourceVersion } of run.writes)
      if (resourceVersion !== undefined) writers.set(`${what}@${resourceVersion}`, toPlace(run));
  const caused = new Map<string, RunPlace[]>();
  const withCauses = ordered.map((run) => {
    const causedBy = run.causes.map(
      ({ what, resourceVersion }) => writers.get(`${what}@${resourceVersion ?? ""}`) ?? null,
    );
    for (const runId of new Set(causedBy.map((writer) => writer?.runId))) {
      if (runId !== undefined) caused.set(runId, [...(caused.get(runId) ?? []), toPlace(run)]);
    }
    return { ...run, causedBy };
  });
  return withCauses.map((run) => ({ ...run, caused: (caused.get(run.runId) ?? []).slice(0, MAX_CAUSED) }));
}

function toPlace({ function: name, key, runId }: LaneRun): RunPlace {
  return { function: name, key, runId };
}

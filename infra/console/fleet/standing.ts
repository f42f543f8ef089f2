import { type Problem, textOf } from "../../operate/explain/problem.ts";
import { DELETION_MS, PROGRESS_MS } from "../../operate/explain/problems-of-object.ts";
import type { ClusterState } from "../api/fleet.ts";
import type { ClusterFacts, Concern } from "./cluster-facts.ts";
import type { Trouble } from "./troubles.ts";

/** How a Cluster stands, in a word and in words. */
export interface Standing {
  readonly state: ClusterState;
  /** The reason; absent where it is healthy. */
  readonly reason?: string | undefined;
  /** RFC 3339. */
  readonly since?: string | undefined;
  /** The key that the reason is about. */
  readonly about?: { readonly function: string; readonly key: string } | undefined;
}

interface Known {
  readonly now: Date;
  /** Why the knowledge is old. */
  readonly stale: string | undefined;
  /** Why no worker takes keys of the Cluster. */
  readonly held?: Concern | undefined;
}

/**
 * Judges a Cluster: by its first problem, which needs a person at once; else, worst first: no worker serves one, a
 * function has given up, one fails, the workload server is away, it waits for long,
 * nothing is known, it changes. `worst` is the worst trouble of its functions. Without a sign that it is well it is
 * never healthy; while `stale` says that the knowledge is old, it neither is nor changes.
 */
export function standingOf(
  facts: ClusterFacts,
  { problem, worst }: { readonly problem: Problem | undefined; readonly worst: Trouble | undefined },
  { now, stale, held }: Known,
): Standing {
  const { deleting, unreachable, available, concern, change } = facts;
  if (held !== undefined) return { state: "waiting", ...reported(held) };
  const isOfTime = problem?.about === "paused" || problem?.about === "waiting";
  if (problem !== undefined && !isOfTime) return ofProblem(problem);
  if (worst !== undefined) return troubled(worst);
  if (unreachable !== undefined) return { state: "unreachable", ...reported(unreachable) };
  if (problem?.about === "waiting") return ofProblem(problem);
  const changing = (what: Concern, state: ClusterState, limitMs: number): Standing => {
    if (isOlder(what, limitMs, now)) return { state: "waiting", ...reported(what) };
    return stale === undefined ? { state, ...reported(what) } : { state: "unknown", reason: stale };
  };
  if (deleting !== undefined) return changing(deleting, "deleting", DELETION_MS);
  if (problem !== undefined) return { state: "paused", reason: textOf(problem), since: problem.since };
  if (facts.pausedBy !== undefined) return { state: "paused", reason: `paused by ${facts.pausedBy}` };
  if (available === "silent") return { state: "unknown", reason: SILENT };
  if (available === "unclear") return { state: "unknown", ...reported(concern) };
  if (concern !== undefined) return changing(concern, "progressing", PROGRESS_MS);
  if (stale !== undefined) return { state: "unknown", reason: stale };
  return change === undefined ? { state: "healthy" } : { state: "progressing", ...reported(change) };
}

const SILENT =
  "its status has no condition Available: its functions have not run yet, or another controller keeps it";

/** A problem that waiting does not mend needs a person at once. */
function ofProblem(problem: Problem): Standing {
  const { about, letter, since } = problem;
  const known = { reason: textOf(problem), since };
  if (letter !== undefined) return { state: "dead", ...known, about: letter };
  if (about === "dead") return { state: "failing", ...known };
  return { state: about === "connection" ? "unreachable" : "waiting", ...known };
}

function troubled({ function: name, key, isDead, failures, failure, since }: Trouble): Standing {
  const error = `${failure.reason}: ${failure.message}`;
  const times = failures === 1 ? "once" : `${failures} times`;
  const reason = `${name} ${isDead ? "has given up: it failed" : "has failed"} ${times}: ${error}`;
  return { state: isDead ? "dead" : "failing", reason, since, about: { function: name, key } };
}

function reported(concern: Concern | undefined): Pick<Standing, "reason" | "since"> {
  return { reason: concern?.text, since: concern?.since };
}

/** A concern without a date may have lasted for ever. */
function isOlder({ since = "" }: Concern, ms: number, now: Date): boolean {
  const age = now.getTime() - Date.parse(since);
  return !(age <= ms);
}

import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../shared/api/conditions.ts";
import type { Connection } from "../../../shared/api/core.ts";
import { pausedBy } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { connectionProblem, reasonReported } from "../../../shared/rules/workload/connection.ts";
import { soundCluster } from "../../operate/explain/problems-of-platform.ts";
import { goodStatusOf } from "../../operate/explain/siblings.ts";

/** One Cluster as the fleet keeps it: at most 2 KiB, whatever its objects hold. */
export interface ClusterFacts {
  readonly namespace: string;
  readonly name: string;
  readonly phase?: string | undefined;
  readonly version?: string | undefined;
  /** Kind of its infrastructure: `AWSCluster`. */
  readonly provider?: string | undefined;
  /** Machines and members of pools. */
  readonly machines: { readonly desired: number; readonly ready: number };
  /** The field that pauses it. */
  readonly pausedBy?: string | undefined;
  readonly deleting?: Concern | undefined;
  /** Why its workload server cannot be reached. */
  readonly unreachable?: Concern | undefined;
  /** `silent`: nothing says whether it is available. */
  readonly available: "yes" | "no" | "unclear" | "silent";
  /** Why it is not available, or what else of it is not as it must be. */
  readonly concern?: Concern | undefined;
  /** It rolls out or scales. */
  readonly change?: Concern | undefined;
}

/** Whether nothing of a Cluster's own status says that something is not as it must be. */
export function isWell({
  available,
  concern,
  change,
  deleting,
  pausedBy,
  unreachable,
}: ClusterFacts): boolean {
  const given = [concern, change, deleting, pausedBy, unreachable];
  return available === "yes" && given.every((fact) => fact === undefined);
}

/** A state in words, of at most 300 characters. */
export interface Concern {
  readonly text: string;
  /** RFC 3339. */
  readonly since?: string | undefined;
}

const MAX_TEXT_CHARS = 300;
const MAX_WORD_CHARS = 64;

/** Reduces a Cluster and its Connection to what a fleet shows. */
export function clusterFacts(stored: Cluster, connection: Connection | undefined, now: Date): ClusterFacts {
  const cluster = soundCluster(stored);
  const { metadata, status } = cluster;
  const conditions = status?.conditions ?? [];
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    phase: wordOf(status?.phase),
    version: wordOf(versionOf(cluster)),
    provider: wordOf(cluster.spec.infrastructureRef?.kind),
    machines: { desired: sumOf(cluster, "desiredReplicas"), ready: sumOf(cluster, "readyReplicas") },
    pausedBy: pausedBy(cluster, cluster),
    deleting: deletingOf(cluster, conditions),
    unreachable: unreachableOf(cluster, connection, now),
    available: availabilityOf(conditions),
    concern: concernOf(conditions),
    change: longest(conditions.filter((one) => isOff(one) && goodStatusOf(one.type) === "False")),
  };
}

function versionOf({ spec, status }: Cluster): string | undefined {
  const { controlPlane, workers } = status ?? {};
  return spec.topology?.version ?? controlPlane?.versions?.[0]?.version ?? workers?.versions?.[0]?.version;
}

function sumOf({ status }: Cluster, field: "desiredReplicas" | "readyReplicas"): number {
  return (status?.controlPlane?.[field] ?? 0) + (status?.workers?.[field] ?? 0);
}

function deletingOf({ metadata }: Cluster, conditions: readonly Condition[]): Concern | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const message = conditionOf(conditions, "Deleting")?.message ?? "";
  return {
    text: lineOf(message === "" ? "it is being deleted" : message),
    since: metadata.deletionTimestamp,
  };
}

function unreachableOf(cluster: Cluster, connection: Connection | undefined, now: Date): Concern | undefined {
  if (cluster.metadata.deletionTimestamp !== undefined) return undefined;
  const problem = connection && connectionProblem(cluster, connection, now).message;
  const text = problem ?? reasonReported(cluster, connection);
  if (text === undefined) return undefined;
  const probe = conditionOf(cluster.status?.conditions, "RemoteConnectionProbe");
  const since = probe?.status === "False" ? probe.lastTransitionTime : connection?.status.failingSince;
  return { text: lineOf(text), since };
}

function availabilityOf(conditions: readonly Condition[]): ClusterFacts["available"] {
  switch (conditionOf(conditions, "Available")?.status) {
    case "True":
      return "yes";
    case "False":
      return "no";
    case undefined:
      return "silent";
    default:
      return "unclear";
  }
}

/** The condition Available sums up the others; one that it leaves out is named itself. */
function concernOf(conditions: readonly Condition[]): Concern | undefined {
  const bad = conditions.filter((one) => isOff(one) && goodStatusOf(one.type) === "True");
  const summary = conditionOf(bad, "Available");
  return summary === undefined ? longest(bad) : toConcern(summary);
}

function isOff({ type, status }: Condition): boolean {
  return status !== goodStatusOf(type) && !["Deleting", "Paused"].includes(type);
}

function longest(conditions: readonly Condition[]): Concern | undefined {
  const [first] = conditions.toSorted((a, b) => (a.lastTransitionTime < b.lastTransitionTime ? -1 : 1));
  return first && toConcern(first);
}

function toConcern({ type, status, reason, message, lastTransitionTime: since }: Condition): Concern {
  return { text: lineOf(`${type} ${status}: ${message || reason}`), since: wordOf(since) };
}

/** Messages list what they are about, one in a line. */
function lineOf(text: string): string {
  return text
    .slice(0, 4 * MAX_TEXT_CHARS)
    .replace(/\s+/g, " ")
    .slice(0, MAX_TEXT_CHARS);
}

function wordOf(text: unknown): string | undefined {
  return typeof text === "string" ? text.slice(0, MAX_WORD_CHARS) : undefined;
}

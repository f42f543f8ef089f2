import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../shared/api/conditions.ts";
import type { Connection } from "../../../shared/api/core.ts";
import { objectKeyOf, titleOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { topologyProblem } from "../../../shared/rules/coexistence/topology.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { connectionProblem, reasonReported } from "../../../shared/rules/workload/connection.ts";
import type { Freshness } from "../../../shared/runtime/read/signs.ts";
import { type Finding, type Problem, parted } from "./problem.ts";
import type { Unserved } from "./unserved.ts";

/** Returns what makes everything else old, and so stands before it. */
export function silenceProblems({ silences }: Pick<Freshness, "silences">): readonly Problem[] {
  return silences.map(({ message, since }) => ({
    about: "freshness",
    object: "relay",
    ...parted(message),
    ...(since === undefined ? {} : { since }),
    severity: "broken",
    consequences: 0,
  }));
}

/** Returns the functions whose keys wait for a worker as one problem, since one worker mends it. */
export function workerProblems(unserved: readonly Unserved[]): readonly Problem[] {
  const [first] = unserved;
  if (first?.late === undefined) return [];
  const { since, message } = first.late;
  const of = { about: "worker", object: first.function, since } as const;
  return [{ ...of, ...parted(message), severity: "broken", consequences: 0 }];
}

interface ClusterFacts {
  readonly cluster: Cluster | undefined;
  readonly connection: Connection | undefined;
  readonly topologyRuns: boolean;
  readonly now: Date;
}

/** Returns the problems of a Cluster as a whole: a topology that nothing runs, a workload server that cannot be reached. */
export function problemsOfCluster({
  cluster,
  connection,
  topologyRuns,
  now,
}: ClusterFacts): readonly Finding[] {
  if (cluster === undefined) return [];
  const object = titleOf(cluster.kind, objectKeyOf(cluster));
  const topology = topologyProblem(cluster, topologyRuns, now);
  const message =
    (connection && connectionProblem(cluster, connection, now).message) ??
    reasonReported(cluster, connection);
  return [
    ...(topology === undefined
      ? []
      : [{ about: "topology", id: object, object, ...parted(topology), severity: "broken" } as const]),
    ...(message === undefined ? [] : [awayOf(cluster, connection, message)]),
  ];
}

/** Nodes are as they were; management objects are worked on. */
const WITHOUT_IT =
  "until then Nodes and what depends on them stay as they were last seen; Machines and provider objects are still worked on";

function awayOf(cluster: Cluster, connection: Connection | undefined, message: string): Finding {
  const object = titleOf(cluster.kind, objectKeyOf(cluster));
  const probe = conditionOf(cluster.status?.conditions, "RemoteConnectionProbe");
  const { lastSuccess, failingSince } = connection?.status ?? {};
  const since =
    lastSuccess ?? failingSince ?? (probe?.status === "False" ? probe.lastTransitionTime : undefined);
  const { cause, next } = parted(message);
  const isAnswered = !cause.startsWith("kubeconfig Secret");
  return {
    about: "connection",
    id: object,
    object,
    cause,
    next: isAnswered ? `${next === "" ? "" : `${next}; `}${WITHOUT_IT}` : next,
    ...(since === undefined ? {} : { since }),
    severity: "broken",
  };
}

/** Returns a Cluster whose conditions have the types of the schema: another controller may have written them in any form. */
export function soundCluster(stored: Cluster): Cluster {
  return { ...stored, status: { ...stored.status, conditions: soundConditions(stored) } };
}

function soundConditions({ status }: Cluster): Condition[] {
  const given: unknown = status?.conditions;
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    const of = (field: string): string => {
      const value = valueAt(one, field);
      return typeof value === "string" ? value : "";
    };
    const [type, lastTransitionTime] = [of("type"), of("lastTransitionTime")];
    const condition = {
      type,
      status: of("status"),
      reason: of("reason"),
      message: of("message"),
      lastTransitionTime,
    };
    return type === "" ? [] : [condition as Condition];
  });
}

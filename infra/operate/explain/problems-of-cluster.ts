import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Connection } from "../../../shared/api/core.ts";
import { objectKeyOf, titleOf } from "../../../shared/api/kinds.ts";
import { topologyProblem } from "../../../shared/rules/coexistence/topology.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { connectionProblem, reasonReported } from "../../../shared/rules/workload/connection.ts";
import type { Finding } from "./finding.ts";
import { parted } from "./problem.ts";

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

import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { versionOfMachine } from "../../../shared/rules/machines/machine-version.ts";
import { countVersions } from "../../../shared/rules/machines/versions.ts";
import { ownObject } from "./adoption.ts";
import type { NodeReport } from "./nodes.ts";
import type { PoolView } from "./view.ts";

type Counters = Pick<
  MachinePoolStatus,
  "readyReplicas" | "availableReplicas" | "upToDateReplicas" | "versions"
>;

/** The field of a Node, and of a Machine, that holds the version of its kubelet. */
export const KUBELET_FIELDS = ["status.nodeInfo.kubeletVersion"] as const;

/**
 * Returns the counters of the pool. Without Machines the first two are what the provider reports, whether or not a Node
 * has joined. They stay while the infrastructure object is not the pool's own.
 */
export function poolCounters(view: PoolView, { replicas }: MachinePoolStatus): Partial<Counters> {
  const { pool, providers, machines } = view;
  if (ownObject(pool, providers.infrastructure) === undefined) return {};
  if (machines !== undefined) return machineCounters(view, machines, replicas);
  const versions = view.nodeReport.matched?.map((node) => node.status?.nodeInfo?.kubeletVersion ?? "");
  return {
    readyReplicas: replicas,
    availableReplicas: replicas,
    upToDateReplicas: pool.spec.replicas,
    versions: versions === undefined ? pool.status?.versions : countVersions(versions),
  };
}

/**
 * An instance that goes leaves the replicas before its Machine does: no counter is higher than they are.
 * Differs: without a view of the workload cluster the versions stay; upstream drops them.
 */
function machineCounters(
  { pool, nodes }: PoolView,
  machines: readonly Machine[],
  replicas = machines.length,
): Counters {
  const count = (type: string) =>
    Math.min(
      replicas,
      machines.filter(({ status }) => conditionOf(status?.conditions, type)?.status === "True").length,
    );
  const versions = machines.map((machine) => versionOfMachine(machine) ?? "");
  return {
    readyReplicas: count("Ready"),
    availableReplicas: count("Available"),
    upToDateReplicas: count("UpToDate"),
    versions: nodes === undefined ? pool.status?.versions : countVersions(versions),
  };
}

/** Returns the counters of Nodes for the deprecated status; absent where zero, unless the previous refs are kept. */
export function nodeCounters({ matched, readyReplicas, availableReplicas }: NodeReport, replicas = 0) {
  if (matched === undefined) return {};
  return {
    readyReplicas: readyReplicas || undefined,
    availableReplicas: availableReplicas || undefined,
    unavailableReplicas: Math.max(0, replicas - availableReplicas) || undefined,
  };
}

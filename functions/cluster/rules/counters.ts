import type { Cluster, ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import type { ContractVersion, KubeObject } from "../../../shared/api/kinds.ts";
import { parseVersion } from "../../../shared/api/kubernetes-version.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { controlPlanePath, controlPlanePaths } from "../../../shared/contract/control-plane.ts";
import { readCount } from "../../../shared/contract/fields.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { addVersions, compareVersions, type VersionCount } from "../../../shared/rules/machines/versions.ts";
import { WORKER_COUNTERS } from "../../../shared/rules/machines/worker-counters.ts";
import { present } from "../../../shared/rules/status/present.ts";
import { ownObject } from "./adoption.ts";
import { asWorkers, countedMachines } from "./machines.ts";
import type { ClusterView } from "./view.ts";

export type Counters = Omit<NonNullable<ClusterStatus["workers"]>, "upgradePlan">;
type Count = Exclude<keyof Counters, "versions">;

/** The most versions that the Cluster's schema allows. */
const MAX_VERSIONS = 32;
const COUNTS = [
  "desiredReplicas",
  "replicas",
  "readyReplicas",
  "availableReplicas",
  "upToDateReplicas",
] as const;

/** The fields of an object of workers that its counters are. */
export const WORKER_COUNTER_FIELDS = ["spec.replicas", ...WORKER_COUNTERS] as const;
/** The fields of a control plane object that its counters are. */
export const CONTROL_PLANE_COUNTER_FIELDS = controlPlanePaths(...COUNTS, "unavailableReplicas", "versions");

/** Returns both sets of counters as they are from now on; one of which nothing is known is left out. */
export function clusterCounters({
  cluster,
  providers,
  workers,
  machines,
}: ClusterView): Pick<ClusterStatus, "controlPlane" | "workers"> {
  const standAlone = cluster.spec.controlPlaneRef === undefined && cluster.spec.topology === undefined;
  const controlPlane = standAlone
    ? workerCounters(machines.controlPlane.map(asWorkers))
    : controlPlaneCounters(cluster, providers.controlPlane);
  return {
    ...present("controlPlane", controlPlane),
    ...present("workers", workerCounters([...workers, ...countedMachines(cluster, machines)])),
  };
}

/**
 * Mirrors the control plane object's counters. One that it no longer reports keeps its last value, `versions` goes with
 * its source; without the object all go. An object that cannot be read, or is not ours yet, changes nothing.
 */
export function controlPlaneCounters(
  cluster: Cluster,
  controlPlane: Referenced | undefined,
): Counters | undefined {
  const stored = storedCounters(cluster.status?.controlPlane);
  // The topology has not brought it yet.
  if (controlPlane === undefined) return stored;
  if (controlPlane.state === "missing") return undefined;
  const owned = ownObject(cluster, controlPlane);
  if (owned === undefined) return stored;
  const reported = COUNTS.map((name) => [name, countOf(owned, name) ?? stored?.[name]] as const);
  return compact(reported, versionsOf(owned, stored?.versions));
}

/** The counters without what others keep beside them. */
export function storedCounters(stored: ClusterStatus["workers"]): Counters | undefined {
  return stored === undefined
    ? undefined
    : compact(
        COUNTS.map((name) => [name, stored[name]]),
        stored.versions,
      );
}

function countOf(owned: Found, name: Count): number | undefined {
  const { object, contract } = owned;
  if (name === "availableReplicas" && contract === "v1beta1") {
    const [desired, unavailable] = [
      count(object, controlPlanePath(contract, "desiredReplicas")),
      count(object, controlPlanePath(contract, "unavailableReplicas")),
    ];
    return desired === undefined || unavailable === undefined
      ? undefined
      : Math.max(0, desired - unavailable);
  }
  return count(object, controlPlanePath(contract, name));
}

function count(object: KubeObject, path: string | undefined): number | undefined {
  return path === undefined ? undefined : readCount(object, path).value;
}

function versionsOf(
  { object, contract }: { readonly object: KubeObject; readonly contract: ContractVersion },
  stored: Counters["versions"],
): Counters["versions"] {
  const value = valueAt(object, controlPlanePath(contract, "versions"));
  if (value === undefined || value === null) return undefined;
  if (!isVersionList(value)) return stored;
  // The schema has no place for a version that no replica has.
  return value.filter((entry) => entry.replicas !== 0).slice(0, MAX_VERSIONS);
}

/** Whether it is a list of ascending semantic versions with counts that are not negative. */
function isVersionList(value: unknown): value is readonly VersionCount[] {
  if (!Array.isArray(value) || !value.every(isVersionCount)) return false;
  return value.every((entry, index) => {
    const before = value[index - 1];
    return before === undefined || compareVersions(before.version, entry.version) < 0;
  });
}

function isVersionCount(value: unknown): value is VersionCount {
  const [version, replicas] = [valueAt(value, "version"), valueAt(value, "replicas")];
  const isCount = replicas === undefined || (Number.isInteger(replicas) && Number(replicas) >= 0);
  return (
    typeof version === "string" && version.length <= 256 && parseVersion(version) !== undefined && isCount
  );
}

/**
 * Sums over all workers; a counter without a report stays unset. `workers` are the objects that count: not the
 * MachineSets and Machines of something that counts itself.
 */
export function workerCounters(workers: readonly Workers[]): Counters | undefined {
  const read: { readonly [Name in Count]: (worker: Workers) => number | undefined } = {
    desiredReplicas: ({ spec }) => spec?.replicas,
    replicas: ({ status }) => status?.replicas,
    readyReplicas: ({ status }) => status?.readyReplicas,
    availableReplicas: ({ status }) => status?.availableReplicas,
    upToDateReplicas: ({ status }) => status?.upToDateReplicas,
  };
  const versions = workers
    .flatMap(({ status }) => status?.versions ?? [])
    .map(({ version, replicas }) => ({ version, replicas: replicas ?? 1 }));
  return compact(
    COUNTS.map((name) => [name, sum(workers.map(read[name]))]),
    addVersions(versions)?.slice(0, MAX_VERSIONS),
  );
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

/** Returns only what is known; `undefined` when nothing is. */
function compact(
  counts: readonly (readonly [Count, number | undefined])[],
  versions: Counters["versions"],
): Counters | undefined {
  const known = counts.filter(([, value]) => value !== undefined);
  if (versions === undefined || versions.length === 0) {
    return known.length === 0 ? undefined : Object.fromEntries(known);
  }
  return { ...Object.fromEntries(known), versions };
}

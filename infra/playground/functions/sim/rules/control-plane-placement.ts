import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../../../shared/api/machine/machine.ts";
import { compareText } from "../../../../../shared/rules/conditions/conditions.ts";

/** The field of a Cluster that says where control plane Machines may run. */
export const PLACEMENT_FIELDS = ["status.failureDomains"] as const;

/**
 * Returns the failure domain for a new Machine: that with the fewest Machines that are up to date, then with the fewest
 * at all, then the first by name, among those that are meant for control planes. `undefined`: the Cluster has none.
 */
export function domainForNew(
  cluster: Cluster,
  machines: readonly Machine[],
  isUpToDate: (machine: Machine) => boolean,
): string | undefined {
  const current = machines.filter(isUpToDate);
  const [first] = domainsOf(cluster).toSorted(
    (a, b) => countIn(a, current) - countIn(b, current) || countIn(a, machines) - countIn(b, machines),
  );
  return first;
}

/**
 * Returns the Machine to go next of those that may go: in the domain with the most Machines, there the oldest. Before all
 * others goes one in a domain that is not meant for control planes.
 */
export function nextToGo(
  cluster: Cluster,
  machines: readonly Machine[],
  candidates: readonly Machine[],
): Machine | undefined {
  const domains = domainsOf(cluster);
  const crowd = ({ spec }: Machine): number => {
    const { failureDomain = "" } = spec;
    const isStray = domains.length > 0 && !domains.includes(failureDomain);
    return isStray ? Number.POSITIVE_INFINITY : countIn(failureDomain, machines);
  };
  const createdAt = ({ metadata }: Machine) => metadata.creationTimestamp ?? "";
  return candidates.toSorted(
    (a, b) =>
      Number(crowd(b) > crowd(a)) - Number(crowd(a) > crowd(b)) ||
      compareText(createdAt(a), createdAt(b)) ||
      compareText(a.metadata.name, b.metadata.name),
  )[0];
}

/** Returns the domains by name. */
function domainsOf({ status }: Cluster): readonly string[] {
  return (status?.failureDomains ?? [])
    .filter(({ controlPlane }) => controlPlane === true)
    .map(({ name }) => name)
    .toSorted(compareText);
}

function countIn(domain: string, machines: readonly Machine[]): number {
  return machines.filter(({ spec }) => (spec.failureDomain ?? "") === domain).length;
}

import type { MachineCost, ManagerName } from "./machine-managers.ts";
import { limit, type Share, share } from "./shares.ts";

/** Costs of a manager for one load. */
export interface Costs {
  readonly manager: ManagerName;
  readonly machines: number;
  readonly clusters: number;
  readonly created: MachineCost;
  readonly deleted: MachineCost;
  readonly peakMiB: number;
  /** Every request of the manager within a minute in which nothing happens, probes included. */
  readonly requestsPerClusterMinute: number | undefined;
}

/** Shares of what Cluster API's manager needs. */
const SECONDS_CREATED = 0.5;
const SECONDS_DELETED = 0.75;
const CPU = 0.5;
/** Requests and memory as they stand. A Machine alone pays for its Cluster, too. */
const REQUESTS_CREATED = 7;
const WRITES_DELETED = { few: 8, many: 11, fewAtMost: 200 };
const WRITES_OF_SET = 6.5;
const PEAK_MIB = 200;
const AT_REST = 1.5;

/** The figures that are judged; loads below 100 Machines are over before a second one of CPU has passed. */
export function sharesOf(
  rows: readonly Costs[],
  sets: { readonly [Name in ManagerName]?: MachineCost },
): readonly Share[] {
  const own = rows.filter(({ manager, machines }) => manager === "capstan" && machines >= 100);
  return [
    ...own.flatMap((row) => {
      const other = rows.find(
        (each) =>
          each.manager === "cluster-api" && each.machines === row.machines && each.clusters === row.clusters,
      );
      return sharesOfRow(row, other);
    }),
    ...(sets.capstan === undefined ? [] : sharesOfSet(sets.capstan, sets["cluster-api"])),
  ];
}

function sharesOfRow(row: Costs, other: Costs | undefined): readonly Share[] {
  const { machines, clusters, created, deleted, peakMiB, requestsPerClusterMinute: atRest } = row;
  const load = `${machines} Machines, ${clusters} Clusters`;
  const { few, many, fewAtMost } = WRITES_DELETED;
  return [
    share(load, "created, s", [created.seconds, other?.created.seconds], SECONDS_CREATED),
    share(load, "created, CPU ms each", [created.cpuMsEach, other?.created.cpuMsEach], CPU),
    limit(
      load,
      "created, requests each",
      [created.requestsEach, other?.created.requestsEach],
      REQUESTS_CREATED,
    ),
    share(load, "deleted, s", [deleted.seconds, other?.deleted.seconds], SECONDS_DELETED),
    share(load, "deleted, CPU ms each", [deleted.cpuMsEach, other?.deleted.cpuMsEach], CPU),
    limit(
      load,
      "deleted, writes each",
      [deleted.writesEach, other?.deleted.writesEach],
      machines <= fewAtMost ? few : many,
    ),
    limit(load, "peak MiB", [peakMiB, other?.peakMiB], PEAK_MIB),
    ...(atRest === undefined
      ? []
      : [limit(load, "at rest, requests", [atRest, other?.requestsPerClusterMinute], AT_REST)]),
  ];
}

function sharesOfSet(set: MachineCost, other: MachineCost | undefined): readonly Share[] {
  return [
    limit("MachineSet of 50", "writes each", [set.writesEach, other?.writesEach], WRITES_OF_SET),
    share("MachineSet of 50", "s", [set.seconds, other?.seconds], SECONDS_CREATED),
  ];
}

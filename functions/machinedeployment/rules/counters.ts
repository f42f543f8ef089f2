import type { MachineDeploymentStatus } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { addVersions } from "../../../shared/rules/machines/versions.ts";
import { WORKER_COUNTERS } from "../../../shared/rules/machines/worker-counters.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusView } from "./view.ts";

/** The fields of a MachineSet that the counters sum up. */
export const COUNTER_FIELDS = [
  ...WORKER_COUNTERS,
  "status.deprecated.v1beta1.readyReplicas",
  "status.deprecated.v1beta1.availableReplicas",
] as const;

type Counters = Pick<
  MachineDeploymentStatus,
  "replicas" | "readyReplicas" | "availableReplicas" | "upToDateReplicas" | "versions"
>;

/** Sums up the sets; a counter that no set has is absent. */
export function deploymentCounters(sets: readonly MachineSet[]): Counters {
  const versions = sets
    .flatMap(({ status }) => status?.versions ?? [])
    .map(({ version, replicas = 0 }) => ({ version, replicas }));
  const summed = <C extends Exclude<keyof Counters, "versions">>(count: C) =>
    present(
      count,
      sumOf(sets, ({ status }) => status?.[count]),
    );
  return {
    ...summed("replicas"),
    ...summed("readyReplicas"),
    ...summed("availableReplicas"),
    ...summed("upToDateReplicas"),
    ...present("versions", addVersions(versions)),
  };
}

type DeprecatedCounters = {
  readonly [count in
    | "updatedReplicas"
    | "readyReplicas"
    | "availableReplicas"
    | "unavailableReplicas"]: number;
};

/** The same in the sense of v1beta1, which looks at Nodes. */
export function deprecatedCounters({ sets, current }: StatusView): DeprecatedCounters {
  const available = sumOf(sets, (set) => set.status?.deprecated?.v1beta1?.availableReplicas) ?? 0;
  const wanted = sumOf(sets, (set) => set.spec.replicas) ?? 0;
  return {
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sumOf(sets, (set) => set.status?.deprecated?.v1beta1?.readyReplicas) ?? 0,
    availableReplicas: available,
    unavailableReplicas: Math.max(wanted - available, 0),
  };
}

function sumOf(
  sets: readonly MachineSet[],
  count: (set: MachineSet) => number | undefined,
): number | undefined {
  const counts = sets.map(count).filter((value) => value !== undefined);
  return counts.length === 0 ? undefined : counts.reduce((a, b) => a + b, 0);
}

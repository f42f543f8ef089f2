import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import type { HeldBack } from "../../../shared/rules/status/pace.ts";
import { startOf } from "./drain-timers.ts";
import { machineSpecAwaits } from "./spec.ts";
import type { MachineView } from "./view.ts";
import { machineWritesDue } from "./writes-due.ts";

/** Snapshots that are read before the view. */
interface Beginning {
  readonly machine: Machine;
  readonly cluster: Cluster;
  readonly providers: MachineProviders;
}

/** The rows that hold the status of a Machine back, as snapshots of it and of its providers show. */
export const BEFORE_VIEW: readonly HeldBack<Beginning>[] = [
  {
    row: "unsettled",
    since: ({ machine, cluster, providers }) =>
      machineWritesDue(machine, cluster, providers) ? machine.metadata.creationTimestamp : undefined,
  },
  {
    row: "justDrained",
    since({ machine }) {
      const { reason } = conditionOf(machine.status?.conditions, "Deleting") ?? {};
      return reason === "WaitingForInfrastructureDeletion"
        ? (startOf(machine, "volumes") ?? startOf(machine, "drain"))
        : undefined;
    },
  },
  {
    row: "newProviders",
    since({ machine, providers }) {
      const isFirst = machine.status?.phase === undefined && !isDeleting(machine);
      if (!isFirst || machineSpecAwaits(machine, providers) === undefined) return undefined;
      const created = [providers.bootstrap, providers.infrastructure].flatMap((found) =>
        found?.state === "found" ? (found.object.metadata.creationTimestamp ?? []) : [],
      );
      return created.toSorted().at(-1);
    },
  },
];

/** The same, as the whole view shows. */
export const AFTER_VIEW: readonly HeldBack<Pick<MachineView, "machine" | "stage" | "drainSpeaks">>[] = [
  {
    row: "undrained",
    since: ({ machine, stage, drainSpeaks }) =>
      stage?.step === "drain" && !drainSpeaks ? machine.metadata.deletionTimestamp : undefined,
  },
];

import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet, MachineSetStatus } from "../../../shared/api/machineset.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { IN_PLACE_UPDATE } from "../../../shared/rules/machines/annotations.ts";
import { MACHINE_VERSION_FIELDS, versionOfMachine } from "../../../shared/rules/machines/machine-version.ts";
import { countVersions } from "../../../shared/rules/machines/versions.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusView } from "./view.ts";

/** The fields of a Machine that the counters read. */
export const COUNTER_FIELDS = [
  ...MACHINE_VERSION_FIELDS,
  "status.conditions[NodeReady]",
  `metadata.annotations[${IN_PLACE_UPDATE}]`,
] as const;

type Counters = Pick<
  MachineSetStatus,
  "replicas" | "readyReplicas" | "availableReplicas" | "upToDateReplicas" | "versions"
>;

/** Machines that are being deleted count, those that are updated in place only as replicas. */
export function setCounters({ machines }: StatusView): Counters {
  const counted = machines.filter(
    ({ metadata }) => !Object.hasOwn(metadata.annotations ?? {}, IN_PLACE_UPDATE),
  );
  const count = (type: string) => counted.filter((machine) => isTrue(machine, type)).length;
  const versions = machines.map((machine) => versionOfMachine(machine) ?? "");
  return {
    replicas: machines.length,
    readyReplicas: count("Ready"),
    availableReplicas: count("Available"),
    upToDateReplicas: count("UpToDate"),
    ...present("versions", countVersions(versions)),
  };
}

type DeprecatedCounters = Pick<
  NonNullable<NonNullable<MachineSetStatus["deprecated"]>["v1beta1"]>,
  "fullyLabeledReplicas" | "readyReplicas" | "availableReplicas"
>;

/** The same in the sense of v1beta1, which looks at Nodes. */
export function deprecatedCounters({ set, machines, now }: StatusView): DeprecatedCounters {
  const labels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const isLabelled = ({ metadata }: Machine) =>
    labels.every(([key, value]) => metadata.labels?.[key] === value);
  return {
    fullyLabeledReplicas: machines.filter(isLabelled).length,
    readyReplicas: machines.filter((machine) => isTrue(machine, "NodeReady")).length,
    availableReplicas: machines.filter((machine) => isNodeAvailable(set, machine, now)).length,
  };
}

function isNodeAvailable(set: MachineSet, machine: Machine, now: Date): boolean {
  const ready = conditionOf(machine.status?.conditions, "NodeReady");
  if (ready?.status !== "True") return false;
  const forMs = now.getTime() - Date.parse(ready.lastTransitionTime);
  return forMs >= (set.spec.template.spec.minReadySeconds ?? 0) * SECOND;
}

function isTrue({ status }: Machine, type: string): boolean {
  return conditionOf(status?.conditions, type)?.status === "True";
}

import type { Condition } from "../../../shared/api/conditions.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import {
  condition,
  conditionOf,
  type DesiredCondition,
  setConditions,
} from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import { IN_PLACE_UPDATE } from "../../../shared/rules/machines/annotations.ts";
import { ownStatus, type Turns } from "./own-status.ts";
import { bootstrapConfigReady, infrastructureReady } from "./provider-conditions.ts";
import { readyCondition } from "./ready.ts";
import { isJudgedHere, upToDateCondition } from "./up-to-date.ts";
import type { MachineView } from "./view.ts";

/** Returns all conditions of `machine-status`, each judged by itself. */
export function machineConditions(view: MachineView): readonly Condition[] {
  const { machine, cluster, nodeReport, now } = view;
  const stored = ownStatus(machine.status, turnsOf(view)).conditions;
  const { generation } = machine.metadata;
  const updating = updatingCondition(machine);
  const parts = [
    bootstrapConfigReady(view),
    infrastructureReady(view),
    ...nodeReport.conditions,
    updating,
    ...upToDate(view, updating),
    ...deletingCondition(view),
    pausedCondition(cluster, machine, machine.kind),
  ];
  const known = [...foreignConditions(machine, parts), ...parts];
  const withReady = setConditions(stored, [...parts, readyCondition(machine, known, now)], now, generation);
  return setConditions(withReady, [availableCondition(machine, withReady, now)], now, generation);
}

/** The conditions that this function writes now, and leaves to others at other times. */
export function turnsOf({ machine, drainSpeaks }: Pick<MachineView, "machine" | "drainSpeaks">): Turns {
  return new Set([
    ...(isJudgedHere(machine) ? ["UpToDate" as const] : []),
    ...(drainSpeaks ? [] : ["Deleting" as const]),
  ]);
}

function foreignConditions({ status }: Machine, own: readonly DesiredCondition[]): readonly Condition[] {
  const types = new Set(own.map(({ type }) => type));
  return (status?.conditions ?? []).filter(({ type }) => !types.has(type));
}

/** Differs: upstream calls the runtime extension that updates the machine, and says how far that is. */
export const IN_PLACE_UPDATING =
  "In-place update in progress, which only Cluster API's manager finishes: give it the Cluster back, or delete the Machine to have it replaced";

function updatingCondition({ metadata }: Machine): DesiredCondition {
  return Object.hasOwn(metadata.annotations ?? {}, IN_PLACE_UPDATE)
    ? condition("Updating", "True", "InPlaceUpdating", IN_PLACE_UPDATING)
    : condition("Updating", "False", "NotUpdating");
}

function upToDate(view: MachineView, updating: DesiredCondition): readonly DesiredCondition[] {
  const { machine, rollout, providers, nodeReport, now } = view;
  if (!isJudgedHere(machine)) return [];
  const kubeletVersion = nodeReport.nodeInfo?.kubeletVersion;
  return [upToDateCondition(machine, { rollout, providers, updating, kubeletVersion, now })];
}

function deletingCondition({ stage, drainSpeaks }: MachineView): readonly DesiredCondition[] {
  if (stage === undefined) return [condition("Deleting", "False", "NotDeleting")];
  return drainSpeaks ? [] : [condition("Deleting", "True", stage.reason, stage.message)];
}

/** Returns `Available`: `Ready` for long enough. */
function availableCondition(machine: Machine, conditions: readonly Condition[], now: Date): DesiredCondition {
  const inMs = availableInMs(machine, conditions, now);
  if (inMs === undefined) return condition("Available", "False", "NotReady");
  return inMs > 0
    ? condition("Available", "False", "WaitingForMinReadySeconds")
    : condition("Available", "True", "Available");
}

/** Returns when a Machine that stays `Ready` is available; 0 = now, `undefined` = it is not `Ready`. */
export function availableInMs(
  { spec }: Machine,
  conditions: readonly Condition[] | undefined,
  now: Date,
): number | undefined {
  const ready = conditionOf(conditions, "Ready");
  if (ready?.status !== "True") return undefined;
  const minReadyMs = (spec.minReadySeconds ?? 0) * SECOND;
  return Math.max(0, Date.parse(ready.lastTransitionTime) + minReadyMs - now.getTime());
}

import type { Condition } from "../../api/conditions.ts";
import type { KubeObject } from "../../api/kinds.ts";
import type { Machine } from "../../api/machine/machine.ts";
import { isDeleting } from "../../function/guards.ts";
import { condition, conditionOf, type DesiredCondition } from "../conditions/conditions.ts";
import { counted } from "../conditions/counted.ts";
import { staleMachines } from "./stale-machines.ts";

/** Machines that are there, and those that are wanted: absent while nothing says how many. */
export interface Size {
  readonly present: number;
  readonly wanted: number | undefined;
}

/** Returns the Machines that a set or a deployment wants: none while it is being deleted. */
export function wantedReplicas(
  object: KubeObject & { readonly spec: { readonly replicas?: number | undefined } },
): number | undefined {
  const { replicas } = object.spec;
  return isDeleting(object) && replicas !== undefined ? 0 : replicas;
}

export function waitingForReplicas(type: string): DesiredCondition {
  return condition(type, "Unknown", "WaitingForReplicasSet", "Waiting for spec.replicas set");
}

/** `now` follows the sentence where Machines are missing, `lasting` would keep further ones from being made. */
export function scalingUpCondition(
  { present, wanted }: Size,
  { now, lasting }: { readonly now: string; readonly lasting: readonly string[] },
): DesiredCondition {
  const type = "ScalingUp";
  if (wanted === undefined) return waitingForReplicas(type);
  if (present < wanted) {
    return condition(type, "True", type, `Scaling up from ${present} to ${wanted} replicas${now}`);
  }
  const message = lasting.length === 0 ? "" : `Scaling up would be blocked because ${lasting.join("; ")}`;
  return condition(type, "False", "NotScalingUp", message);
}

/**
 * Returns why a set or a deployment makes nothing, where only its status is known: the first line of the reasons that its
 * `ScalingUp` ends with.
 */
export function shownBlocker(conditions: readonly Condition[] | undefined): string | undefined {
  const message = conditionOf(conditions, "ScalingUp")?.message ?? "";
  const [, why] = /blocked because:?\s+(?:\* )?([^\n]+)/.exec(message) ?? [];
  return why;
}

/** `suffix` follows the sentence, and a line about Machines whose deletion takes long. */
export function scalingDownCondition(
  { present, wanted }: Size,
  { machines, now, suffix = "" }: { machines: readonly Machine[]; now: Date; suffix?: string },
): DesiredCondition {
  const type = "ScalingDown";
  if (wanted === undefined) return waitingForReplicas(type);
  if (present <= wanted) return condition(type, "False", "NotScalingDown");
  const text = `Scaling down from ${present} to ${wanted} replicas${suffix}`;
  return condition(type, "True", type, withStale(text, machines, now));
}

/** The condition `Deleting` of an owner that is being deleted and still has Machines. */
export function deletingMachines(machines: readonly Machine[], now: Date): DesiredCondition {
  const text = `Deleting ${counted(machines.length, "Machine")}`;
  return condition("Deleting", "True", "Deleting", withStale(text, machines, now));
}

function withStale(text: string, machines: readonly Machine[], now: Date): string {
  const stale = staleMachines(machines, now);
  return stale === undefined ? text : `${text}\n* ${stale}`;
}

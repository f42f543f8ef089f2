import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { handOverChanges } from "./hand-over.ts";
import type { Occupant } from "./places.ts";
import { ownerOfRequest } from "./request.ts";

/**
 * Whether an external controller hands an unhealthy Machine to its owner in the deprecated family of conditions only,
 * where no owner looks. Its request holds the place already.
 * Differs: upstream leaves such a Machine for ever.
 */
export function hasGivenUp(machine: Machine, request: KubeObject | undefined): boolean {
  const { conditions, deprecated } = machine.status ?? {};
  const older = conditionOf(deprecated?.v1beta1?.conditions, "OwnerRemediated");
  const present = conditionOf(conditions, "OwnerRemediated");
  if (request === undefined || older?.status !== "False" || isDeleting(machine)) return false;
  const isNotOlder =
    Date.parse(older.lastTransitionTime) >= Date.parse(request.metadata.creationTimestamp ?? "");
  return (
    isNotOlder &&
    ownerOfRequest(request, machine) === "ours" &&
    conditionOf(conditions, "HealthCheckSucceeded")?.status === "False" &&
    (present === undefined || present.status === "True")
  );
}

/**
 * Whether the owner of an unhealthy Machine may take over from its external controller: its request is under way, and
 * the place is the one that the request holds.
 */
export function mayEscalate(
  { machine, verdict }: Pick<Occupant, "machine" | "verdict">,
  request: KubeObject,
) {
  const hasFailed = conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "False";
  const { present = [] } = handOverChanges(machine);
  return (
    verdict.is === "unhealthy" &&
    hasFailed &&
    !isDeleting(machine) &&
    !isDeleting(request) &&
    ownerOfRequest(request, machine) === "ours" &&
    present.length > 0
  );
}

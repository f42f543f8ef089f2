import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { handOverChanges } from "./hand-over.ts";
import type { Occupant } from "./places.ts";
import { ownerOfRequest } from "./request.ts";

/** The fields of a request by which a policy ends the time of its controller. */
export const ESCALATION_FIELDS = ["status.phase", "status.conditions"] as const;

/** A target with the object that has the name of its request. */
export interface Requested extends Pick<Occupant, "machine" | "verdict"> {
  readonly request: KubeObject | undefined;
}

/**
 * Returns when the owner of a Machine takes over from its external controller, in ms since 1970, `-Infinity` for at once:
 * its request is too old, or in a phase or condition that a policy names, and the Machine is unhealthy all the same. The
 * place is the one that the request holds. `undefined`: no policy says so.
 */
export function escalatesAtMs(
  policies: readonly RemediationPolicy[],
  { machine, verdict, request }: Requested,
): number | undefined {
  const hasFailed = conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "False";
  if (request === undefined || verdict.is !== "unhealthy" || !hasFailed || !isOpen(machine, request)) {
    return undefined;
  }
  const times = policies.flatMap(({ spec }) => {
    if (spec.escalation === undefined) return [];
    const { afterSeconds } = spec.escalation;
    if (hasEnded(spec.escalation, request)) return [Number.NEGATIVE_INFINITY];
    const createdMs = Date.parse(request.metadata.creationTimestamp ?? "");
    return afterSeconds === undefined || Number.isNaN(createdMs) ? [] : [createdMs + afterSeconds * SECOND];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

function isOpen(machine: Machine, request: KubeObject): boolean {
  const { present = [] } = handOverChanges(machine);
  return (
    !isDeleting(machine) &&
    !isDeleting(request) &&
    ownerOfRequest(request, machine) === "ours" &&
    present.length > 0
  );
}

type Escalation = NonNullable<RemediationPolicy["spec"]["escalation"]>;

/** A controller may write anything: a field of another type says nothing. */
function hasEnded({ phases = [], conditions = [] }: Escalation, request: KubeObject): boolean {
  const phase = valueAt(request, "status.phase");
  if (typeof phase === "string" && phases.includes(phase)) return true;
  return conditions.some(
    ({ type, status }) => valueAt(request, `status.conditions[${type}].status`) === status,
  );
}

import type { KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { SECOND } from "../../../shared/function/backoff.ts";

/** The fields of a request by which a policy ends the time of its controller. */
export const ESCALATION_FIELDS = ["status.phase", "status.conditions"] as const;

/**
 * Returns when a policy ends the time of an external controller, in ms since 1970, `-Infinity` for at once: its request
 * is too old, or in a phase or condition that a policy names. `undefined`: no policy says so.
 */
export function escalatesAtMs(
  policies: readonly RemediationPolicy[],
  request: KubeObject,
): number | undefined {
  const times = policies.flatMap(({ spec }) => {
    if (spec.escalation === undefined) return [];
    const { afterSeconds } = spec.escalation;
    if (hasEnded(spec.escalation, request)) return [Number.NEGATIVE_INFINITY];
    const createdMs = Date.parse(request.metadata.creationTimestamp ?? "");
    return afterSeconds === undefined || Number.isNaN(createdMs) ? [] : [createdMs + afterSeconds * SECOND];
  });
  return times.length === 0 ? undefined : Math.min(...times);
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

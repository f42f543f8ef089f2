import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../shared/api/indexes.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { watch } from "../../../shared/function/define-function.ts";
import { clusterKeyOf, isDeleting } from "../../../shared/function/guards.ts";
import { inClusterOf } from "../../../shared/function/mappings.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { permissionOf } from "./ledger.ts";

/** The fields of a policy that decide about hand-overs. */
export const POLICY_FIELDS = ["metadata.uid", "metadata.deletionTimestamp", "spec", "status"] as const;

/** The fields of a policy that a hand-over writes. */
export const LEDGER_FIELDS = ["status.policyUID", "status.remediations", "status.underWay"] as const;

type Escalation = NonNullable<RemediationPolicy["spec"]["escalation"]>;

/** The fields of a request by which a policy ends the time of its controller. */
const ESCALATION_FIELDS = ["status.phase", "status.conditions"] as const;

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

/** A controller may write anything: a field of another type says nothing. */
function hasEnded({ phases = [], conditions = [] }: Escalation, request: KubeObject): boolean {
  const phase = valueAt(request, "status.phase");
  if (typeof phase === "string" && phases.includes(phase)) return true;
  return conditions.some(
    ({ type, status }) => valueAt(request, `status.conditions[${type}].status`) === status,
  );
}

/**
 * Binds the hand-overs of health checks beyond their own limits: this is all that functions of health checks know of
 * policies (functions/mhc/rules/binding.ts says what they ask).
 */
export const policyBinding = {
  watches: [watch(RemediationPolicy, POLICY_FIELDS, inClusterOf)],
  requestFields: ESCALATION_FIELDS,
  writes: {
    kind: RemediationPolicy as unknown as Kind,
    fields: LEDGER_FIELDS,
    reason:
      "each writes the whole history in the version that it has read, so that the later one reads again",
  },

  /** Reads the policies of its Cluster that name a health check, or name none, as snapshots, by name. */
  async of(read: Reader, check: MachineHealthCheck) {
    const { namespace, name } = clusterKeyOf(check);
    const index = { name: "cluster", values: [`${namespace}/${name}`] };
    const policies = binding(check, await read.list(RemediationPolicy, { index }));
    if (policies.length === 0) return undefined;
    return {
      permission: (question: { readonly chosen: readonly Machine[]; readonly now: Date }) =>
        readPermission(read, check, question),
      escalatesAtMs: (request: KubeObject) => escalatesAtMs(policies, request),
    };
  },
};

function binding(
  { metadata, spec }: MachineHealthCheck,
  policies: readonly RemediationPolicy[],
): readonly RemediationPolicy[] {
  return policies
    .filter(
      (policy) =>
        policy.spec.clusterName === spec.clusterName &&
        !isDeleting(policy) &&
        policy.spec.healthChecks?.includes(metadata.name) !== false,
    )
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}

/** Asks the policies, as the server has them, about Machines that the limit lets go. */
async function readPermission(
  { live }: Pick<Reader, "live">,
  check: MachineHealthCheck,
  { chosen, now }: { readonly chosen: readonly Machine[]; readonly now: Date },
) {
  const { namespace } = check.metadata;
  const policies = binding(check, await live.list(RemediationPolicy, { namespace }));
  const needsQuorum = policies.some(({ spec }) => spec.controlPlaneQuorum === true);
  const labelSelector = `${CLUSTER_NAME_LABEL}=${check.spec.clusterName},${CONTROL_PLANE_LABEL}`;
  const machines = needsQuorum ? await live.list(Machine, { namespace, labelSelector }) : [];
  const controlPlane = machines.filter(
    ({ metadata: { labels = {} } }) =>
      labels[CLUSTER_NAME_LABEL] === check.spec.clusterName && Object.hasOwn(labels, CONTROL_PLANE_LABEL),
  );
  return permissionOf({ check, policies, chosen, controlPlane, now });
}

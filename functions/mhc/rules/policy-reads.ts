import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../shared/api/indexes.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { clusterKeyOf } from "../../../shared/rules/metadata/read-cluster.ts";
import { HOLD } from "./hand-over.ts";
import { lastFailure } from "./health.ts";
import { type Answered, answered } from "./live-reads.ts";
import { identityOf } from "./machine-writes.ts";
import { type Permission, permissionOf } from "./policy-ledger.ts";

/** The fields of a policy that decide about hand-overs. */
export const POLICY_FIELDS = ["metadata.uid", "metadata.deletionTimestamp", "spec", "status"] as const;
/** The fields of a policy that a hand-over writes. */
export const LEDGER_FIELDS = ["status.policyUID", "status.remediations", "status.underWay"] as const;
const MAX_NAMES = 3;

/** The policies of its Cluster that name a health check, or name none, by name; snapshots. */
export async function readPolicies(
  read: Pick<Reader, "list">,
  check: MachineHealthCheck,
): Promise<readonly RemediationPolicy[]> {
  const { namespace, name } = clusterKeyOf(check);
  const index = { name: "cluster", values: [`${namespace}/${name}`] };
  return binding(check, await read.list(RemediationPolicy, { index }));
}

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

/** Asks the policies, as the server has them, about Machines that the limit lets go. Without a policy all may go. */
export async function readPermission(
  { live }: Pick<Reader, "live">,
  check: MachineHealthCheck,
  known: readonly RemediationPolicy[],
  { chosen, now }: { readonly chosen: readonly Machine[]; readonly now: Date },
): Promise<Answered<Permission>> {
  if (known.length === 0 || chosen.length === 0) {
    return { answer: { allowed: chosen, patch: [], refused: [] } };
  }
  return answered(async () => {
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
  });
}

/** Says which policies let Machines wait, and why, once for each policy, reason and failure. */
export function refusalNotices(refused: Permission["refused"]): readonly Notice[] {
  const byReason = Map.groupBy(refused, ({ policy, text }) => `RemediationPolicy ${policy}: ${text}`);
  return [...byReason].map(([why, those]): Notice => {
    const names = listNames(
      those.map(({ machine }) => machine.metadata.name),
      MAX_NAMES,
    );
    return {
      type: "Warning",
      reason: "RemediationBlocked",
      message: `Remediation of ${names} waits for ${why}`,
      ...lastFailure(those.map(({ machine }) => machine)),
    };
  });
}

/** When time alone changes what policies say, in ms since 1970. */
export function refusedUntilMs(refused: Permission["refused"]): number | undefined {
  const times = refused.flatMap(({ untilMs }) => untilMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Says on each Machine that a person or a program keeps it from being remediated, once for each failure. */
export function heldNotices({ metadata }: MachineHealthCheck, held: readonly Machine[]): readonly Notice[] {
  const by = `${metadata.namespace ?? ""}/${metadata.name}`;
  return held.map((machine) => ({
    type: "Warning",
    reason: "RemediationBlocked",
    message: `Remediation by ${by} waits until annotation ${HOLD} is removed`,
    about: identityOf(machine),
    ...lastFailure([machine]),
  }));
}

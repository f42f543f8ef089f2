import { refTo } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { type RemediationEntry, RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import type { GuardedPatch } from "../../../shared/function/define-function.ts";
import { compareText, conditionOf, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import { actorText, remediationActor } from "../../../shared/rules/machines/remediation-actor.ts";
import { keptEntries, type Refusal, refusalOf } from "../../../shared/rules/machines/remediation-limits.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";

/** Everything that decides about Machines which the limit of their health check lets go. */
export interface PermissionFacts {
  readonly check: MachineHealthCheck;
  /** Those that bind the health check, read live. */
  readonly policies: readonly RemediationPolicy[];
  /** Read live. */
  readonly chosen: readonly Machine[];
  /** All control plane Machines of the Cluster, read live. */
  readonly controlPlane: readonly Machine[];
  readonly now: Date;
}

/** Which of them may go now, and what has to be written or waited for. */
interface Permission {
  /** Machines with an entry of this remediation in every policy. */
  readonly allowed: readonly Machine[];
  /** New entries: the run that they wake hands over. */
  readonly patch: readonly GuardedPatch[];
  /** `by`: the policy, as people call it. */
  readonly refused: readonly (Refusal & { readonly machine: Machine; readonly by: string })[];
}

/**
 * Returns which Machines may be handed over. A hand-over needs an entry in every policy, of this failure of the Machine,
 * that an earlier run has written: an entry that is in no history yet starts nothing.
 */
export function permissionOf(facts: PermissionFacts): Permission {
  const { policies, chosen, controlPlane, now } = facts;
  const ledgers = policies.map((policy) => ({
    policy,
    entries: [...(policy.status?.remediations ?? [])],
    added: 0,
  }));
  const allowed: Machine[] = [];
  const refused: Permission["refused"][number][] = [];
  for (const machine of chosen.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))) {
    const missing = ledgers.filter(({ entries }) => !entries.some((entry) => isOf(entry, machine)));
    const refusals = missing.flatMap(({ policy, entries }) => {
      const refusal = refusalOf({ policy, entries, machine, controlPlane, now });
      return refusal === undefined
        ? []
        : [{ ...refusal, machine, by: `RemediationPolicy ${policy.metadata.name}` }];
    });
    if (missing.length === 0) allowed.push(machine);
    refused.push(...refusals);
    if (refusals.length > 0) continue;
    for (const ledger of missing) {
      ledger.entries = [...keptEntries(ledger.policy, ledger.entries, now), entryOf(facts, machine)];
      ledger.added += 1;
    }
  }
  const patch = ledgers.flatMap(({ policy, entries, added }) =>
    added === 0 ? [] : [ledgerPatch(policy, entries)],
  );
  return { allowed, patch, refused };
}

/** Writes the whole history, in the version that was read: of two runs that count the same entries one loses. */
export function ledgerPatch(policy: RemediationPolicy, entries: readonly RemediationEntry[]): GuardedPatch {
  const underWay = entries.filter(({ endedAt }) => endedAt === undefined).length;
  const parent: readonly PatchOperation[] =
    policy.status === undefined ? [{ op: "add", path: "/status", value: {} }] : [];
  return {
    target: refTo(RemediationPolicy, policy),
    operations: [
      ...parent,
      { op: "add", path: "/status/policyUID", value: policy.metadata.uid ?? "" },
      { op: "add", path: "/status/remediations", value: entries },
      { op: "add", path: "/status/underWay", value: underWay },
    ],
    ifFails: { event: "FailedPatchPolicy" },
  };
}

/** Whether an entry is of this failure of the Machine, and not ended. */
function isOf({ machine, failedAt, endedAt }: RemediationEntry, { metadata, status }: Machine): boolean {
  const failure = conditionOf(status?.conditions, "HealthCheckSucceeded");
  return machine.uid === metadata.uid && failedAt === failure?.lastTransitionTime && endedAt === undefined;
}

function entryOf({ check, now }: PermissionFacts, machine: Machine): RemediationEntry {
  const failure = conditionOf(machine.status?.conditions, "HealthCheckSucceeded");
  const controller = controllerOf(machine);
  const actor = remediationActor(check, machine);
  return {
    machine: { name: machine.metadata.name, uid: machine.metadata.uid ?? "" },
    failedAt: failure?.lastTransitionTime ?? timestamp(now),
    healthCheck: check.metadata.name,
    reason: failure?.reason ?? "",
    startedAt: timestamp(now),
    by: check.spec.remediation?.templateRef === undefined ? "Owner" : "ExternalController",
    ...(controller === undefined ? {} : { controller: actorText(controller) }),
    ...(actor === undefined ? {} : { actor: actorText(actor) }),
    ...(isControlPlaneMachine(machine) ? { controlPlane: true } : {}),
  };
}

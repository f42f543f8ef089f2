import { refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { GuardedDelete, GuardedPatch } from "../../../../../shared/function/define-function.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import { condition, conditionOf } from "../../../../../shared/rules/conditions/conditions.ts";
import { conditionOperations } from "../../../../../shared/rules/machines/condition-patch.ts";
import { waitsForRemediation } from "../../../../../shared/rules/machines/machine-conditions.ts";

/** State of a control plane that remediation looks at. */
export interface Remediation {
  /** All of its Machines, those that go too. */
  readonly machines: readonly Machine[];
  readonly isInitialized: boolean;
  readonly now: Date;
}

/** Writes for the Machines that health checks have handed over; `undefined`: they handed over none. */
export interface RemediationWrites {
  readonly patch: readonly GuardedPatch[];
  readonly delete: readonly GuardedDelete[];
}

/**
 * Deletes one such Machine at a time, never so that none is left that is Ready, and not while a healthy one comes. It goes
 * before the missing ones are made and before a rollout: both wait until all are Ready, which it never will be. It is
 * marked in one run and deleted in the next, so that a run that is cut off is repeated.
 */
export function remediation(state: Remediation): RemediationWrites | undefined {
  const waiting = state.machines.filter((machine) => !isDeleting(machine) && waitsForRemediation(machine));
  const chosen = waiting.find(isMarked) ?? waiting.toSorted(byAge)[0];
  if (chosen === undefined) return undefined;
  const reason = obstacle(state, chosen);
  if (reason === undefined && isMarked(chosen)) {
    return { patch: [], delete: [{ target: refTo(Machine, chosen) }] };
  }
  const patch = waiting.flatMap((machine): readonly GuardedPatch[] => {
    const why =
      machine === chosen ? reason : (reason ?? `Machine ${chosen.metadata.name} is remediated first`);
    const desired =
      why === undefined
        ? condition("OwnerRemediated", "False", "MachineDeleting", "Machine is deleting")
        : condition("OwnerRemediated", "False", "RemediationDeferred", why);
    const operations = conditionOperations(machine, { present: [desired] }, state.now);
    return operations.length === 0
      ? []
      : [{ target: refTo(Machine, machine), subresource: "status", operations }];
  });
  return { patch, delete: [] };
}

function obstacle({ machines, isInitialized }: Remediation, chosen: Machine): string | undefined {
  const others = machines.filter((machine) => machine !== chosen);
  const going = others.find(isDeleting);
  if (going !== undefined) return `Waiting for Machine ${going.metadata.name} to be deleted`;
  // The first comes alone, and nothing is lost with it.
  if (!isInitialized && others.length === 0) return undefined;
  const coming = others.find(
    (machine) => machine.status?.nodeRef === undefined && !waitsForRemediation(machine),
  );
  if (coming !== undefined) return `Waiting for Machine ${coming.metadata.name} to get its Node`;
  return others.some(isReady) ? undefined : "No other Machine of the control plane is Ready";
}

export function isReady({ status }: Machine): boolean {
  return conditionOf(status?.conditions, "Ready")?.status === "True";
}

function isMarked({ status }: Machine): boolean {
  return conditionOf(status?.conditions, "OwnerRemediated")?.reason === "MachineDeleting";
}

function byAge(a: Machine, b: Machine): number {
  const createdAt = ({ metadata }: Machine) => Date.parse(metadata.creationTimestamp ?? "");
  return createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

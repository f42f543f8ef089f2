import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { GuardedPatch, Watch } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { policyBinding } from "../../remediationpolicy/rules/binding.ts";

/** A bond of one health check beside its limit; without one, the limit alone decides. */
export interface Bound {
  /** Asks about Machines that the limit lets go; live reads. */
  permission(question: { readonly chosen: readonly Machine[]; readonly now: Date }): Promise<Permission>;
  /** Returns when the owner takes over from an external controller, in ms since 1970; `undefined`: never. */
  escalatesAtMs(request: KubeObject): number | undefined;
}

/** Answer about Machines that may go now, with writes and waits that come first. */
export interface Permission {
  readonly allowed: readonly Machine[];
  /** Patches that are written before the others go: the run that this wakes hands them over. */
  readonly patch: readonly GuardedPatch[];
  /** `by` refuses a Machine, as `text` says; `untilMs`: when time alone ends it, in ms since 1970. */
  readonly refused: readonly {
    readonly machine: Machine;
    readonly by: string;
    readonly text: string;
    readonly untilMs?: number;
  }[];
}

/** A feature that binds hand-overs, as the functions of health checks see it. */
interface Binding {
  /** Changes that wake a health check which hands over. */
  readonly watches: readonly Watch[];
  /** Fields of a request by which `escalatesAtMs` decides. */
  readonly requestFields: readonly string[];
  /** Fields that `patch` of a permission writes. */
  readonly writes: { readonly kind: Kind; readonly fields: readonly string[]; readonly reason: string };
  of(read: Reader, check: MachineHealthCheck): Promise<Bound | undefined>;
}

/** The only line of this folder that knows the feature: without it, health checks are bound by their limits alone. */
export const binding: Binding = policyBinding;

/** Asks about Machines that the limit lets go; all of them may, where nothing else binds the health check. */
export async function permissionFor(
  bound: Bound | undefined,
  question: { readonly chosen: readonly Machine[]; readonly now: Date },
): Promise<Permission> {
  const { chosen } = question;
  return bound === undefined || chosen.length === 0
    ? { allowed: chosen, patch: [], refused: [] }
    : bound.permission(question);
}

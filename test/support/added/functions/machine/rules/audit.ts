import type { Machine } from "../../../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../../../shared/api/patch.ts";
import {
  addFinalizerPatch,
  removeFinalizerPatch,
} from "../../../../../../shared/rules/metadata/finalizers.ts";

const FINALIZER = "audit.test.capstan.dev";

/** Fields of a Machine that `auditPatch` reads. */
export const AUDIT_FIELDS = [
  "metadata.deletionTimestamp",
  "metadata.finalizers",
  "metadata.annotations[audit.test.capstan.dev/seen]",
] as const;

/** Returns the operations that hold a Machine for its audit, or let it go once the audit has seen its deletion. */
export function auditPatch(machine: Machine): readonly PatchOperation[] {
  const { metadata } = machine;
  if (metadata.deletionTimestamp === undefined) return addFinalizerPatch(machine, FINALIZER);
  const isSeen = metadata.annotations?.["audit.test.capstan.dev/seen"] !== undefined;
  return isSeen ? removeFinalizerPatch(machine, FINALIZER) : [];
}

import type { GuardedPatch } from "../../function/define-function.ts";

/**
 * Returns the patches of one object as one request; those without operations are left out, and one that removes a
 * finalizer, or has other options, stays apart.
 */
export function mergePatches(patches: readonly GuardedPatch[]): readonly GuardedPatch[] {
  const merged = new Map<string, GuardedPatch>();
  for (const patch of patches) {
    const { target, operations, subresource = "", ...options } = patch;
    if (operations.length === 0) continue;
    const text = `${JSON.stringify(options)} ${target.cluster} ${target.kind.group}/${target.kind.kind} ${target.namespace}/${target.name} ${subresource} ${removesFinalizer(patch)}`;
    const known = merged.get(text);
    merged.set(
      text,
      known === undefined ? patch : { ...known, operations: [...known.operations, ...operations] },
    );
  }
  return [...merged.values()];
}

/** Whether a patch may be the end of its object. */
export function removesFinalizer({ operations }: GuardedPatch): boolean {
  return operations.some(
    (operation) => operation.op === "remove" && operation.path.startsWith("/metadata/finalizers"),
  );
}

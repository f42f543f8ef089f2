import type { KubeObject } from "../../../shared/api/kinds.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";

/** The field of MachineSets and MachineDeployments that `isOutdated` reads. */
export const REVISION_FIELDS = [`metadata.annotations[${REVISION}]`] as const;

/**
 * Whether a MachineSet is not the newest of its MachineDeployment. Without one of the two, or without its number, it is
 * not.
 */
export function isOutdated(set: KubeObject | undefined, deployment: KubeObject | undefined): boolean {
  return revisionOf(set) < revisionOf(deployment);
}

/** Returns the revision; not a number where the annotation is missing: then no comparison holds. */
function revisionOf(object: KubeObject | undefined): number {
  return Number(object?.metadata.annotations?.[REVISION] ?? Number.NaN);
}

import type { Machine } from "../../../shared/api/machine/machine.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";

/** Where the deletion of a Machine can be held by annotation. */
export type HookPoint = "pre-drain" | "pre-terminate";

/** The field of a Machine that holds its hooks. */
export const HOOK_FIELDS = ["metadata.annotations"] as const;

const SUFFIX = ".delete.hook.machine.cluster.x-k8s.io";

/** The annotations that hold a deletion at this point, sorted. Their values mean nothing. */
export function hooksOf({ metadata }: Machine, point: HookPoint): readonly string[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(`${point}${SUFFIX}`))
    .sort(compareText);
}

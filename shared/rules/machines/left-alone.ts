import type { KubeObject } from "../../api/kinds.ts";
import { isPaused } from "../../function/guards.ts";

const SKIP_REMEDIATION = "cluster.x-k8s.io/skip-remediation";
/** The field of a Machine by which a person keeps it from health checks. */
export const SKIP_FIELDS = [`metadata.annotations[${SKIP_REMEDIATION}]`] as const;

/** Whether health checks leave a Machine alone, by presence: the values of both annotations mean nothing. */
export function isLeftAlone(machine: KubeObject): boolean {
  return isPaused(undefined, machine) || Object.hasOwn(machine.metadata.annotations ?? {}, SKIP_REMEDIATION);
}

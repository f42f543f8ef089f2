import type { Machine } from "../../api/machine/machine.ts";

/** The fields that `versionOfMachine` reads. */
export const MACHINE_VERSION_FIELDS = ["spec.version", "status.nodeInfo.kubeletVersion"] as const;

/** Returns the version that the kubelet of a Machine reports, else the one that is wanted; `undefined`: neither. */
export function versionOfMachine({ spec, status }: Machine): string | undefined {
  return status?.nodeInfo?.kubeletVersion || spec.version;
}

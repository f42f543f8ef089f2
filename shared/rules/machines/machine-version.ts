import type { Machine } from "../../api/machine/machine.ts";
import { prefixedVersion } from "./versions.ts";

/** The fields that `versionOfMachine` reads. */
export const MACHINE_VERSION_FIELDS = ["spec.version", "status.nodeInfo.kubeletVersion"] as const;

/** Returns the version that the kubelet of a Machine reports, else the one that is wanted, with its `v`; `undefined`: neither. */
export function versionOfMachine({ spec, status }: Machine): string | undefined {
  const wanted = spec.version === undefined ? undefined : prefixedVersion(spec.version);
  return status?.nodeInfo?.kubeletVersion || wanted;
}

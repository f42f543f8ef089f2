import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { isForeign } from "./adoption.ts";

/** State of a provider object of a deleted Machine; `unreadable`: its CRD claims no supported contract. */
export type Left = "gone" | "deleting" | "present" | "unreadable";

/**
 * Returns what is left of the config or infrastructure machine. An object of another controller counts as gone, like
 * one whose CRD is gone, and one that the Machine does not reference.
 * Differs: upstream waits for ever for an object of another controller.
 */
export function leftOf(machine: Machine, cluster: Cluster | undefined, found: Referenced | undefined): Left {
  if (found === undefined || found.state === "missing") return "gone";
  if (found.state === "unresolved") return found.crdExists ? "unreadable" : "gone";
  if (isForeign(machine, cluster, found.object)) return "gone";
  return isDeleting(found.object) ? "deleting" : "present";
}

import { SECOND } from "../../../shared/function/backoff.ts";
import type { ClusterView } from "./view.ts";

/** A status is computed from every one of them: one second for each so many, and up to five seconds for fewer. */
const MACHINES_PER_SECOND = 200;
const FEW_PER_SECOND = 50;
const FEW_SECONDS = 5;

/**
 * Returns the shortest time between two statuses of a Cluster. A thousand pools that become ready cost one status per
 * second, a thousand Machines one per five seconds, in one Cluster or in five: a Machine costs the same however many there
 * are.
 */
export function statusFloorMs({ machines }: Pick<ClusterView, "machines">): number {
  const count = machines.controlPlane.length + machines.workers.length;
  const few = Math.min(FEW_SECONDS, Math.ceil(count / FEW_PER_SECOND));
  return SECOND * Math.max(1, few, Math.ceil(count / MACHINES_PER_SECOND));
}

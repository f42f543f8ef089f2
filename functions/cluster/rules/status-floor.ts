import { SECOND } from "../../../shared/function/backoff.ts";
import type { ClusterView } from "./view.ts";

/** A status is computed from every one of them: one second for each so many. */
const MACHINES_PER_SECOND = 200;

/**
 * Returns the shortest time between two statuses of a Cluster. A thousand pools that become ready cost one status per
 * second, a thousand Machines one per five seconds: a Machine costs the same however many there are.
 */
export function statusFloorMs({ machines }: Pick<ClusterView, "machines">): number {
  const count = machines.controlPlane.length + machines.workers.length;
  return SECOND * Math.max(1, Math.ceil(count / MACHINES_PER_SECOND));
}

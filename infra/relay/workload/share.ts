import type { KubeObject } from "../../../shared/api/kinds.ts";

/** The workload clusters of one relay among several. */
export interface Share {
  /** Whether all others see that this relay is there, and leave its Clusters to it. */
  isHeld(): boolean;
  /** Whether a stored Connection is of a Cluster that belongs to this relay; false while that is not known. */
  isOurs(connection: KubeObject): boolean;
}

import type { Connection } from "../../api/core.ts";

/** The fields of a Connection that `isCompleteView` reads. */
export const COMPLETE_VIEW_FIELDS = ["status.state", "status.nodesComplete"] as const;

/** Whether snapshots show all of the workload cluster: only then is the absence of a Node a fact. */
export function isCompleteView(connection: Connection | undefined): boolean {
  return connection?.status.state === "connected" && connection.status.nodesComplete;
}

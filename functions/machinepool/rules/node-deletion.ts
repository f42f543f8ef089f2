import type { Node } from "../../../shared/api/core.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { KubeError, WaitingError } from "../../../shared/function/errors.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { type Result, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { isConnected, readLiveNodes } from "./reads.ts";

/** The Nodes that a deleted pool leaves behind, as far as the workload cluster shows them. */
export type NodesLeft =
  | { readonly state: "found"; readonly nodes: readonly Node[] }
  | { readonly state: "disconnected" }
  | { readonly state: "unreadable"; readonly message: string };

/** The Nodes behind the refs, live. A workload cluster that does not show them is an answer, not a failure. */
export async function readNodesLeft(read: Reader, pool: MachinePool): Promise<NodesLeft> {
  if (!(await isConnected(read, pool))) return { state: "disconnected" };
  try {
    return { state: "found", nodes: await readLiveNodes(read, pool) };
  } catch (error) {
    if (error instanceof WaitingError) return { state: "disconnected" };
    if (error instanceof KubeError) return { state: "unreadable", message: error.message };
    throw error;
  }
}

/** Nodes that are not deleted yet. */
export function undeletedNodes(left: NodesLeft): readonly Node[] {
  return left.state === "found"
    ? left.nodes.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    : [];
}

/**
 * Returns when the Nodes are looked at again: exactly at the timeout, if nothing wakes the pool or has to be tried
 * before;
 * `undefined` once it has passed. A workload cluster that refuses is asked again without counting, however long: with
 * a timeout of 0 for ever.
 */
export function nodeDeletionResult(pool: MachinePool, left: NodesLeft, now: Date): Result | undefined {
  const endsAt = nodeDeletionEndsAt(pool);
  const remainingMs = endsAt === undefined ? undefined : endsAt.getTime() - now.getTime();
  if (remainingMs !== undefined && remainingMs <= 0) return undefined;
  const problem = refusable(left);
  if (problem !== undefined) {
    return requeueAfter(Math.min(retryMs(pool, now), remainingMs ?? Number.POSITIVE_INFINITY), problem);
  }
  if (remainingMs !== undefined) return requeueAfter(remainingMs, "the node deletion timeout");
  return waitFor(left.state === "disconnected" ? "Connection.status.state" : "Node.metadata.uid");
}

/** Returns when retries of Node deletion end; `undefined` = never (timeout absent or 0). */
function nodeDeletionEndsAt({ metadata, spec }: MachinePool): Date | undefined {
  const timeoutSeconds = spec.template.spec.deletion?.nodeDeletionTimeoutSeconds ?? 0;
  if (timeoutSeconds === 0 || metadata.deletionTimestamp === undefined) return undefined;
  return new Date(Date.parse(metadata.deletionTimestamp) + timeoutSeconds * SECOND);
}

/** Deletions that may be refused, so that no event shows when they would succeed. */
function refusable(left: NodesLeft): string | undefined {
  if (left.state === "unreadable") return left.message;
  return undeletedNodes(left).length === 0 ? undefined : "Nodes to be deleted";
}

/** A backoff that needs no counter: as long again as the deletion has taken, from 1 s to a minute. */
function retryMs({ metadata }: MachinePool, now: Date): number {
  const since = now.getTime() - Date.parse(metadata.deletionTimestamp ?? "");
  return Number.isNaN(since) ? SECOND : Math.min(MINUTE, Math.max(SECOND, since));
}

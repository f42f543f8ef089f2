import type { Secret } from "../../../shared/api/core.ts";
import type { Server } from "../../kube/client.ts";
import type { WatchLoop } from "../watch/watch-loop.ts";
import { createWorkloadServer, type WorkloadOptions, workloadAccess } from "./workload-access.ts";
import { type WorkloadNodesOptions, watchNodes } from "./workload-nodes.ts";

/** One try to reach a workload server: its connections and the watch of its Nodes. */
export interface Attempt {
  readonly server: Server;
  readonly loop: WatchLoop;
}

interface Listener {
  onListed(loop: WatchLoop, oversized: string | undefined): void;
  onHeard(loop: WatchLoop): void;
  onFailed(loop: WatchLoop, error: unknown): void;
}

type AttemptOptions = WorkloadOptions &
  Omit<WorkloadNodesOptions, "workload" | "onListed" | "onHeard" | "onFailed">;

/** Begins to watch. Throws TerminalError for a Secret without a usable kubeconfig. */
export function openAttempt(secret: Secret, options: AttemptOptions, listener: Listener): Attempt {
  const access = workloadAccess(secret, options);
  const server = createWorkloadServer(options.cluster, access, options);
  const loop: WatchLoop = watchNodes({
    ...options,
    workload: server,
    onListed: (oversized) => listener.onListed(loop, oversized),
    onHeard: () => listener.onHeard(loop),
    onFailed: (error) => listener.onFailed(loop, error),
  });
  return { server, loop };
}

export async function leaveAttempt(attempt: Attempt | undefined): Promise<void> {
  await attempt?.loop[Symbol.asyncDispose]();
  attempt?.server[Symbol.dispose]();
}

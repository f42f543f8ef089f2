import type { Secret } from "../../../shared/api/core.ts";
import { Node } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, type ObjectKey, workloadCluster } from "../../../shared/api/kinds.ts";
import type { Clock, Log, Store, TypeKey } from "../../../shared/runtime/ports.ts";
import { keepOnly } from "../../../shared/runtime/read/kept-fields.ts";
import type { Server } from "../../platform/kube/client.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { scopeOf } from "../scope.ts";
import { snapshotOf } from "../snapshot.ts";
import { createTurns } from "../turns.ts";
import { createBudget } from "../watch/budget.ts";
import { startWatchLoop, type WatchLoop } from "../watch/watch-loop.ts";
import { createWorkloadServer, type WorkloadOptions, workloadAccess } from "./workload-access.ts";

export interface WorkloadNodesOptions {
  readonly cluster: ObjectKey;
  readonly workload: Server;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
  /** The Cluster's uid. */
  readonly uid: string;
  /** Returns whether the Cluster is being deleted. */
  readonly isEnding?: (() => boolean) | undefined;
  /** Fields of a Node that the functions need. */
  readonly nodeFields: readonly string[];
  /**
   * Called after a complete list or a resume without one, when the watch that follows is accepted, after an event or
   * bookmark, after a failed attempt. They must not wait for the loop. `oversized`: names the Nodes that are missing
   * because the server sends more than it may.
   */
  readonly onListed: (oversized: string | undefined) => void;
  readonly onFollowing: () => void;
  readonly onHeard: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** Returns the type under which the Nodes of a Cluster are stored. */
export function nodesOf(cluster: ObjectKey): TypeKey {
  return { cluster: workloadCluster(cluster), group: Node.group, kind: Node.kind };
}

/**
 * Watches the Nodes of a workload server into the read model. Resumes from the Nodes of an earlier watch if the server
 * still has them, also with another kubeconfig (KR-10, KR-19).
 */
function watchNodes(options: WorkloadNodesOptions): WatchLoop {
  const { cluster, uid, workload, store, delivery, nodeFields } = options;
  const nodes = nodesOf(cluster);
  const keep = keepOnly(nodeFields);
  const reduce = (object: KubeObject) => keep(snapshotOf(object, []));
  // The Nodes identify the server: the role may not allow reading more (S-07).
  const scope = scopeOf(uid, { kind: Node as Kind, kept: nodeFields });
  return startWatchLoop({
    ...options,
    name: `${workloadCluster(cluster)} nodes`,
    client: workload.as("relay"),
    kind: Node as Kind,
    lists: createTurns(1),
    budget: createBudget(options.clock),
    // Providers write the kubeconfig before the first control plane Machine answers. The Connection says that it waits.
    mayBeStarting: true,
    consumer: {
      reduce,
      stored: (at) => store.get(nodes, at),
      async resume() {
        const resourceVersion = await delivery.resume(nodes, scope);
        if (resourceVersion === undefined) return undefined;
        return { resourceVersion, items: await store.list(nodes, {}) };
      },
      resumed: async () => options.onListed(undefined),
      following: options.onFollowing,
      async listed(items, { resourceVersion, since, oversized }) {
        // A watch cannot resume from a list that leaves Nodes out.
        const listed = oversized === undefined ? scope : `${scope}, not all`;
        await delivery.replace(nodes, items, { resourceVersion, since, priority: "live", scope: listed });
        options.onListed(oversized);
      },
      async changed(objects, upTo) {
        await delivery.put(nodes, objects.map(reduce), "live", upTo);
        options.onHeard();
      },
      async deleted(object, upTo) {
        await delivery.remove(nodes, object, upTo);
        options.onHeard();
      },
      async reached(resourceVersion) {
        await delivery.reached(nodes, resourceVersion);
        options.onHeard();
      },
      failed: options.onFailed,
    },
  });
}

/** One try to reach a workload server: its connections and the watch of its Nodes. */
export interface Attempt {
  readonly server: Server;
  readonly loop: WatchLoop;
}

interface Listener {
  onListed(loop: WatchLoop, oversized: string | undefined): void;
  onFollowing(loop: WatchLoop): void;
  onHeard(loop: WatchLoop): void;
  onFailed(loop: WatchLoop, error: unknown): void;
}

type AttemptOptions = WorkloadOptions &
  Omit<WorkloadNodesOptions, "workload" | "onListed" | "onFollowing" | "onHeard" | "onFailed">;

/** Begins to watch. Throws TerminalError for a Secret without a usable kubeconfig. */
export function openAttempt(secret: Secret, options: AttemptOptions, listener: Listener): Attempt {
  const access = workloadAccess(secret, options);
  const server = createWorkloadServer(options.cluster, access, options);
  const loop: WatchLoop = watchNodes({
    ...options,
    workload: server,
    onListed: (oversized) => listener.onListed(loop, oversized),
    onFollowing: () => listener.onFollowing(loop),
    onHeard: () => listener.onHeard(loop),
    onFailed: (error) => listener.onFailed(loop, error),
  });
  return { server, loop };
}

export async function leaveAttempt(attempt: Attempt | undefined): Promise<void> {
  await attempt?.loop[Symbol.asyncDispose]();
  attempt?.server[Symbol.dispose]();
}

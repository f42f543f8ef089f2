import type { KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import { createDelivery } from "../delivery/delivery.ts";
import { createWatchFilter } from "../delivery/watch-filter.ts";
import { clientsOf, type Relay, type RelayOptions } from "../relay.ts";
import { watchForLoss } from "../store-loss.ts";
import { CONNECTION_TYPE } from "../workload/connection-record.ts";
import { startConnections } from "../workload/connections.ts";
import { createAssignment } from "./assignment.ts";
import { nameOf, watchClusters } from "./cluster-watch.ts";
import { shardOf } from "./rendezvous.ts";
import { startShardLeases } from "./shard-leases.ts";

export interface WorkloadRelayOptions extends RelayOptions {
  /** Namespace of the Leases of the shards, and what their names begin with. */
  readonly lease: ObjectKey;
  /** Unique among all relays. */
  readonly identity: string;
}

/**
 * Starts one of several relays that share the connections to workload clusters; another relay leads the management
 * cluster. Each Cluster belongs to one shard (rendezvous.ts), and each relay holds one (shard-leases.ts). While a Cluster
 * changes hands, two relays may follow it for seconds: both store the same Nodes, guarded by version, and a relay
 * publishes Connections only while its Lease is live.
 */
export function startWorkloadRelay(options: WorkloadRelayOptions): Relay {
  const { functions, server, store } = options;
  const abort = new AbortController();
  const filter = createWatchFilter(options.watchFilter, functions, store);
  const shared = { ...options, filter, signal: abort.signal };
  const delivery = createDelivery({ ...shared, onChange: () => undefined });
  const listed = Promise.withResolvers<void>();
  /** The Connections of this shard have been searched for Clusters that went while no relay followed them. */
  let isSwept = false;

  const belongs = (uid: string): boolean =>
    watch.isListed && leases.shard !== undefined && shardOf(uid, leases.shards) === leases.shard;
  const share = {
    isHeld: () => leases.isHeld(),
    isOurs: ({ metadata: { uid = "" } }: KubeObject) => belongs(uid),
  };
  const reassign = (): void => {
    isSwept = false;
    assignment.reassign(watch.clusters.values());
  };
  const watch = watchClusters({
    ...shared,
    onChange: (change) => assignment.changed(change),
    onListed(restored) {
      listed.resolve();
      reassign();
      if (restored) connections.relistSecrets();
    },
  });
  const leases = startShardLeases({ ...options, client: server.as("relay"), onChange: reassign });
  const connections = startConnections({ ...shared, delivery, share });
  const assignment = createAssignment({ ...shared, connections, belongs });

  const sweep = async (): Promise<void> => {
    if (isSwept || !watch.isListed) return;
    isSwept = true;
    for (const stored of await store.list(CONNECTION_TYPE, {}))
      if (share.isOurs(stored) && !watch.clusters.has(nameOf(stored))) connections.forget(stored);
  };
  const refill = async (): Promise<void> => {
    connections.relistLost();
    await sweep().catch(() => {
      isSwept = false;
    });
  };
  const background = watchForLoss(refill, shared);
  const ready = Promise.all([listed.promise, leases.ready()]).then(() => {
    isReady = true;
  });
  let isReady = false;

  return {
    clients: clientsOf(server, connections),
    ready: () => ready,
    status: () => ({
      ready: isReady,
      loops: [watch.loop.status()],
      connections: connections.status(),
      secretLoops: connections.secretLoops(),
      share: { identity: options.identity, shard: leases.shard, shards: leases.shards },
    }),
    followed: () => (leases.isHeld() ? [CONNECTION_TYPE] : []),
    async [Symbol.asyncDispose]() {
      // First of all: the others take over while this relay ends.
      const freed = leases[Symbol.asyncDispose]();
      abort.abort();
      assignment[Symbol.dispose]();
      await watch[Symbol.asyncDispose]();
      await connections[Symbol.asyncDispose]();
      await background;
      await delivery.flush().catch(() => undefined);
      await freed;
    },
  };
}

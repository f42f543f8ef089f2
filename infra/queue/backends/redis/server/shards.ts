import type { Cluster, Redis } from "ioredis";
import { Command } from "ioredis";

/** One server, or a Redis Cluster of several shards: each command goes to the shard that owns the slot of its key. */
export type RedisConnection = Redis | Cluster;

export function isCluster(connection: RedisConnection): connection is Cluster {
  return connection.isCluster;
}

/** Returns the primary that owns the slot of a key, `host:port`; undefined while none is known. */
export function ownerOf(cluster: Cluster, key: string): string | undefined {
  const slot = new Command("get", [key]).getSlot();
  return cluster.slots[slot]?.[0];
}

/** Returns the primaries of all shards, `host:port`. */
export function ownersOf(cluster: Cluster): ReadonlySet<string> {
  return new Set(cluster.slots.flatMap(([owner]) => owner ?? []));
}

/** Returns the connections to the servers that hold data, each with a part of them. */
export function serversOf(connection: RedisConnection): readonly Redis[] {
  return isCluster(connection) ? connection.nodes("master") : [connection];
}

/** Returns the connection to a node; undefined while there is none. */
export function nodeAt(cluster: Cluster, node: string | undefined): Redis | undefined {
  return cluster.nodes("master").find(({ options: { host, port } }) => `${host}:${port}` === node);
}

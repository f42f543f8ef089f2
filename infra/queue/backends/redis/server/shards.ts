import type { Cluster, Redis } from "ioredis";

/** One server, or a Redis Cluster of several shards: each command goes to the shard that owns the slot of its key. */
export type RedisConnection = Redis | Cluster;

export function isCluster(connection: RedisConnection): connection is Cluster {
  return connection.isCluster;
}

/**
 * Returns the hash tag of a function's keys: all in one slot, functions spread over the shards. The dot spreads the
 * names of today more evenly over equal shards: of six none gets more than 1.4 times its share of them.
 */
export function functionTag(functionName: string, connection?: RedisConnection): string {
  return connection !== undefined && isCluster(connection)
    ? `{cap:${functionName}.}`
    : `{cap:${functionName}}`;
}

/** Returns prefixes of keys in different slots, over which the history of runs spreads: 16 on several shards. */
export function historyPrefixes(connection: RedisConnection): readonly string[] {
  if (!isCluster(connection)) return ["{cap:history}:"];
  return Array.from({ length: 16 }, (_, slot) => `{cap:${slot}.history}:`);
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

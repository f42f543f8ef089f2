/** Beginning of the names of the Leases, where the relays have no scope. */
export const SHARD_LEASE = "capstan-relay-shard";

/** More relays than this stand by. Rights on Leases name each of them. */
export const MAX_SHARDS = 32;

/** Returns the names of all Leases of shards whose names begin with this. */
export function shardNames(name: string): readonly string[] {
  return Array.from({ length: MAX_SHARDS }, (_, index) => `${name}-${index}`);
}

import { hash } from "node:crypto";

/**
 * Returns the shard that watches a Cluster, by its uid: the one with the highest weight for it. A shard that goes moves
 * its own Clusters only, and a new one takes its part from all others. Undefined without shards.
 * Source: Thaler and Ravishankar, "Using name-based mappings to increase hit rates" (rendezvous hashing)
 */
export function shardOf(uid: string, shards: Iterable<string>): string | undefined {
  let chosen: string | undefined;
  let highest = "";
  for (const shard of shards) {
    const weight = hash("sha256", `${shard}/${uid}`);
    if (weight <= highest) continue;
    chosen = shard;
    highest = weight;
  }
  return chosen;
}

import { checkRedisUrl } from "./checks.ts";
import { connectRedis, endConnection, type RedisTarget } from "./connection.ts";

/** A management cluster, by what survives its address: the uid of Namespace kube-system. */
export interface OwnerCluster {
  readonly uid: string;
  /** URL of its API server, for messages. */
  readonly server: string;
}

const OWNER = "{cap:cluster}:owner";

/**
 * Ties a Redis to one management cluster: the first one that uses it is noted beside the ledger. Throws for another one,
 * whose late events would act on the objects of this one. Returns how to end the tie, for a cluster that ends itself.
 */
export async function tieRedis(target: RedisTarget, cluster: OwnerCluster): Promise<() => Promise<void>> {
  await using connection = await connected(target);
  const { redis } = connection;
  const isFirst = await redis.hsetnx(OWNER, "uid", cluster.uid);
  const [uid, server] = await redis.hmget(OWNER, "uid", "server");
  if (isFirst === 0 && uid !== cluster.uid) {
    const { shown } = checkRedisUrl(target.url);
    throw new Error(
      `Redis at ${shown} belongs to another management cluster: ${server ?? "its address is unknown"}, where Namespace kube-system has uid ${uid}; ` +
        `that of ${cluster.server} has uid ${cluster.uid}. Name a Redis of its own with --queue; or empty this one (redis-cli FLUSHDB) if the other cluster is gone`,
    );
  }
  // Also later: a cluster may move to another address.
  await redis.hset(OWNER, "server", cluster.server);
  return async () => {
    await using again = await connected(target);
    const [current] = await again.redis.hmget(OWNER, "uid");
    if (current === cluster.uid) await again.redis.del(OWNER);
  };
}

async function connected(target: RedisTarget) {
  const redis = await connectRedis(target);
  return { redis, [Symbol.asyncDispose]: () => endConnection(redis) };
}

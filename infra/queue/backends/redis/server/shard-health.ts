import type { Cluster, Redis } from "ioredis";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { PROBE } from "./checks.ts";
import { ownerOf } from "./cluster.ts";
import { connectShard, endConnection, shardUrl } from "./connection.ts";
import { type RedisHealth, type RedisHealthOptions, watchServerHealth } from "./health.ts";
import { isCluster, ownersOf, type RedisConnection } from "./shards.ts";

const LOOK_EVERY_MS = 5 * SECOND;

interface Shard {
  readonly redis: Redis;
  readonly health: RedisHealth;
}

/** Watches the server of a ledger, or each shard by a connection of its own. Throws when one is unsafe (S-23). */
export async function watchRedis(redis: RedisConnection, options: RedisHealthOptions): Promise<RedisHealth> {
  return isCluster(redis) ? watchShards(redis, options) : watchServerHealth(redis, options);
}

async function watchShards(cluster: Cluster, options: RedisHealthOptions): Promise<RedisHealth> {
  const { clock } = options;
  /** Those that own slots and have answered, by node, `host:port`. */
  const shards = new Map<string, Shard>();
  const opening = new Map<string, Promise<Shard>>();
  let ended = false;
  const open = async (node: string): Promise<Shard> => {
    const redis = await connectShard(options, node);
    const own = { ...options, url: shardUrl(options.url, node), connections: new Set<Redis>() };
    const health = await watchServerHealth(redis, { ...own, probe: probeOf(cluster, node) }).catch(
      async (error: unknown) => {
        await endConnection(redis);
        throw error;
      },
    );
    const shard = { redis, health };
    if (ended) end(shard);
    else shards.set(node, shard);
    return shard;
  };
  const shardAt = async (node: string): Promise<Shard> => {
    const found = shards.get(node) ?? opening.get(node);
    if (found !== undefined) return found;
    const opened = open(node).finally(() => opening.delete(node));
    opening.set(node, opened);
    return opened;
  };
  const openAll = () => [...ownersOf(cluster)].map(shardAt);
  /** A failover, or a change of the layout, gives slots to other nodes. */
  const look = async (): Promise<void> => {
    await new Promise<void>((resolve) => cluster.refreshSlotsCache(() => resolve()));
    const owners = ownersOf(cluster);
    for (const [node, shard] of shards) {
      if (owners.has(node)) continue;
      shards.delete(node);
      end(shard);
    }
    await Promise.allSettled(openAll());
  };
  let cancel = (): void => undefined;
  const lookLater = (): void => {
    if (!ended) cancel = clock.after(LOOK_EVERY_MS, () => void look().then(lookLater));
  };
  const dispose = (): void => {
    ended = true;
    cancel();
    for (const shard of shards.values()) end(shard);
  };
  await Promise.all(openAll()).catch((error: unknown) => {
    dispose();
    throw error;
  });
  lookLater();
  return {
    healthy: () => {
      const all = [...ownersOf(cluster)].map((node) => ({ node, ...shards.get(node)?.health.healthy() }));
      const bad = all.find(({ ok }) => ok !== true);
      const { node, message = "Redis is unreachable" } = bad ?? {};
      const ends = all.flatMap(({ certificateEndsAt }) => certificateEndsAt?.getTime() ?? []);
      return {
        ok: bad === undefined,
        message: bad && `shard ${node}: ${message}`,
        certificateEndsAt: ends.length === 0 ? undefined : new Date(Math.min(...ends)),
      };
    },
    watch: (key, send) => {
      const shard = shards.get(ownerOf(cluster, key) ?? "");
      return shard === undefined ? send() : shard.health.watch(key, send);
    },
    generation: async (key) => {
      const { health } = await shardAt(ownerOf(cluster, key) ?? "");
      return health.generation(key);
    },
    [Symbol.dispose]: dispose,
  };
}

function end({ redis, health }: Shard): void {
  health[Symbol.dispose]();
  void endConnection(redis);
}

const MOST_TAGS = 100_000;

/** Returns what finds a tag whose slot a node owns now. */
function probeOf(cluster: Cluster, node: string): () => string {
  let tag = PROBE;
  return () => {
    for (let at = 0; ownerOf(cluster, tag) !== node && at < MOST_TAGS; at += 1) tag = `{cap:probe:${at}}`;
    return tag;
  };
}

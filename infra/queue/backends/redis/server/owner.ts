import { checkRedisUrl } from "./checks.ts";
import { connectRedis, endConnection, type RedisTarget } from "./connection.ts";

/** A management cluster, by what survives its address: the uid of Namespace kube-system. */
export interface OwnerCluster {
  readonly uid: string;
  /** URL of its API server, for messages. */
  readonly server: string;
}

const OWNER = "{cap:cluster}:owner";

/** The note of an owner in a Redis. Disposing ends the connection and leaves the note. */
export interface RedisTie extends AsyncDisposable {
  /**
   * Notes the owner again where the note was lost, for example by FLUSHDB. Returns why this Redis belongs to another
   * management cluster by now, whose process was faster; undefined: it does not. Rejects while the Redis is away.
   */
  renew(): Promise<string | undefined>;
  /** Takes the note back, for a cluster that ends itself. */
  untie(): Promise<void>;
}

/**
 * Ties a Redis to one management cluster: the first one that uses it is noted beside the ledger. Throws for another one,
 * whose late events would act on the objects of this one.
 */
export async function tieRedis(target: RedisTarget, cluster: OwnerCluster): Promise<RedisTie> {
  await using starting = new AsyncDisposableStack();
  const { redis } = starting.use(await connected(target));
  const noteServer = () => redis.hset(OWNER, "server", cluster.server);
  const renew = async (): Promise<string | undefined> => {
    if ((await redis.hsetnx(OWNER, "uid", cluster.uid)) === 1) await noteServer();
    const owner = await ownerIn(redis);
    return owner.uid === cluster.uid ? undefined : `${foreignText(target, owner, cluster)}. ${NEXT}`;
  };
  const reason = await renew();
  if (reason !== undefined) throw new Error(reason);
  // Also later: a cluster may move to another address.
  await noteServer();
  const running = starting.move();
  return {
    renew,
    async untie() {
      const { uid } = await ownerIn(redis);
      if (uid === cluster.uid) await redis.del(OWNER);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
const NEXT =
  "Name a Redis of its own with --queue; or empty this one (redis-cli FLUSHDB) if the other cluster is gone";

/** Looks whose data are in a Redis, and writes nothing. */
export interface OwnerLook extends AsyncDisposable {
  /**
   * Returns why what is shown are the data of another management cluster; undefined: they are not, or nothing has used
   * this Redis yet. Rejects while the Redis is away.
   */
  foreignness(): Promise<string | undefined>;
}

/** Looks for the owner: rights of one management cluster must not show the data of another. */
export async function lookForOwner(target: RedisTarget, cluster: OwnerCluster): Promise<OwnerLook> {
  const { redis, ...connection } = await connected(target);
  return {
    ...connection,
    async foreignness() {
      const owner = await ownerIn(redis);
      if (owner.uid === undefined || owner.uid === cluster.uid) return undefined;
      return foreignText(target, owner, cluster);
    },
  };
}

interface NotedOwner {
  readonly uid: string | undefined;
  readonly server: string | undefined;
}

async function ownerIn(redis: Awaited<ReturnType<typeof connectRedis>>): Promise<NotedOwner> {
  const [uid, server] = await redis.hmget(OWNER, "uid", "server");
  return { uid: uid ?? undefined, server: server ?? undefined };
}

function foreignText({ url }: RedisTarget, owner: NotedOwner, { uid, server }: OwnerCluster): string {
  const { shown } = checkRedisUrl(url);
  return (
    `Redis at ${shown} belongs to another management cluster: ${owner.server ?? "its address is unknown"}, where Namespace kube-system has uid ${owner.uid}; ` +
    `that of ${server} has uid ${uid}`
  );
}

async function connected(target: RedisTarget) {
  const redis = await connectRedis(target);
  return { redis, [Symbol.asyncDispose]: () => endConnection(redis) };
}

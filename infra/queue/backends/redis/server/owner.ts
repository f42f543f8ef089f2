import { readFile } from "node:fs/promises";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { packageVersion } from "../../../../platform/package-version.ts";
import { checkRedisUrl } from "./checks.ts";
import { connectRedis, endConnection, type RedisTarget } from "./connection.ts";
import { DATA_FORMATS, type DataFormats, EMPTY, OWNER, problemOfFormat } from "./data-format.ts";
import { isCluster, type RedisConnection } from "./shards.ts";

/** A management cluster, by what survives its address: the uid of Namespace kube-system. */
export interface OwnerCluster {
  readonly uid: string;
  /** URL of its API server, for messages. */
  readonly server: string;
}

/** The note of an owner in a Redis. Disposing ends the connection and leaves the note. */
export interface RedisTie extends AsyncDisposable {
  /**
   * Notes the owner again where the note was lost, for example by FLUSHDB, and that this process reads its data. Returns
   * why this Redis is not its own by now: a process of another cluster, or one that writes what this one cannot read,
   * was faster; undefined: it still is. Rejects while the Redis is away.
   */
  renew(): Promise<string | undefined>;
  /** Takes the note back, for a cluster that ends itself. */
  untie(): Promise<void>;
}

/**
 * Ties a Redis to one management cluster: the first one that uses it is noted beside the ledger. Throws for another one,
 * whose late events would act on the objects of this one, and where a running process could not read what this one
 * writes. `undefined`: which cluster it is may not be read, and only the format of the data is noted.
 */
export async function tieRedis(target: RedisTarget, cluster: OwnerCluster | undefined): Promise<RedisTie> {
  const { formats = DATA_FORMATS } = target;
  await using starting = new AsyncDisposableStack();
  const { redis } = starting.use(await connected(target));
  const lua = await readFile(new URL("lua/tie.lua", import.meta.url), "utf8");
  const { uid = "", server = "" } = cluster ?? {};
  const args = [
    uid,
    server,
    formats.writes,
    formats.oldest,
    formats.newest,
    packageVersion(),
    READER_KEPT_MS,
  ];
  await refuseLayout(redis, target);
  const renew = async (): Promise<string | undefined> => {
    const [owner, at, format, reader] = (await redis.eval(lua, 2, OWNER, READERS, ...args)) as Noted;
    if (cluster !== undefined && owner !== uid)
      return `${foreignText(target, { uid: owner, server: at || undefined }, cluster)}. ${NEXT}`;
    if (isCluster(redis)) await redis.hset(OWNER, "spread", "1");
    const problem = problemOfFormat(format, formats) ?? (reader === "" ? undefined : unread(reader, formats));
    return problem === undefined
      ? undefined
      : `cannot use Redis at ${checkRedisUrl(target.url).shown}: ${problem}`;
  };
  const reason = await renew();
  if (reason !== undefined) throw new Error(reason);
  const running = starting.move();
  return {
    renew,
    async untie() {
      if ((await ownerIn(redis)).uid === uid) await redis.del(OWNER);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Throws where the number of shards was one, or is now: keys have other tags, and what lies under the old ones would be lost. */
async function refuseLayout(redis: RedisConnection, { url }: RedisTarget): Promise<void> {
  const [format, spread] = await redis.hmget(OWNER, "format", "spread");
  if (format === null || (spread !== null) === isCluster(redis)) return;
  const [noted, now] = spread === null ? ["one shard", "several"] : ["several shards", "one"];
  throw new Error(
    `cannot use Redis at ${checkRedisUrl(url).shown}: it holds data of ${noted} and has ${now} now; go back, ${EMPTY}`,
  );
}

const READERS = "{cap:cluster}:readers";
/** The time for which a process without a sign may still run a key. */
const READER_KEPT_MS = 30 * SECOND;
type Noted = readonly [uid: string, server: string, format: number, reader: string];
const NEXT =
  "Name a Redis of its own with --queue; or empty this one (redis-cli FLUSHDB) if the other cluster is gone";

/** Says which version of Capstan could not read what this one writes. */
function unread(reader: string, { writes }: DataFormats): string {
  const [newest, version] = reader.split(" ");
  return (
    `Capstan ${version} runs on it, which reads data up to format ${newest}, and this version writes format ${writes}; ` +
    "stop those processes first (one that was killed counts for 30 s), or let a version between run first, which reads both"
  );
}

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
  return (
    `Redis at ${checkRedisUrl(url).shown} belongs to another management cluster: ${owner.server ?? "its address is unknown"}, where Namespace kube-system has uid ${owner.uid}; ` +
    `that of ${server} has uid ${uid}`
  );
}

async function connected(target: RedisTarget) {
  const redis = await connectRedis(target);
  return { redis, [Symbol.asyncDispose]: () => endConnection(redis) };
}

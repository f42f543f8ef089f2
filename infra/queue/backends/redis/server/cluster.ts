import { Cluster, type ClusterOptions, Command, type Redis } from "ioredis";
import { SECOND } from "../../../../../shared/function/backoff.ts";

/** The time between two attempts of a command whose shard is away: after 3 s in all it rejects. */
const RETRY_MS = 200;
const MAX_ATTEMPTS = 15;
const LOOK_EVERY_MS = 5 * SECOND;

/** Returns user, password and authorities as they are now. */
type Newest = (() => { readonly url: string; readonly ca?: string | undefined }) | undefined;

/** The nodes that are known at the start, and the options of a connection to one of them. */
export interface ClusterStart {
  readonly nodes: readonly string[];
  readonly options: Pick<Redis["options"], "host" | "port"> & NonNullable<ClusterOptions["redisOptions"]>;
}

/**
 * Connects to a Redis Cluster of several shards. ioredis follows its layout: a command whose slot has moved, or whose
 * primary is another one by now, finds its way. Throws when no node answers.
 */
export async function connectCluster(start: ClusterStart, newest: Newest): Promise<Cluster> {
  const { host, port, username, password, tls, connectTimeout, commandTimeout, socketTimeout } =
    start.options;
  const cluster = new Cluster([...start.nodes.map(addressOf), { host, port }], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // It would need the right to CLUSTER INFO.
    enableReadyCheck: false,
    maxRedirections: MAX_ATTEMPTS,
    retryDelayOnFailover: RETRY_MS,
    retryDelayOnClusterDown: RETRY_MS,
    slotsRefreshTimeout: connectTimeout,
    // Certificates name hosts, not addresses.
    dnsLookup: (name, found) => found(null, name),
    redisOptions: { username, password, tls, connectTimeout, commandTimeout, socketTimeout },
  });
  followCluster(cluster, newest);
  await cluster.connect().catch((error: unknown) => {
    cluster.disconnect();
    throw error;
  });
  look(cluster);
  return cluster;
}

function addressOf(node: string): { readonly host: string; readonly port: number } {
  const colon = node.lastIndexOf(":");
  return { host: node.slice(0, colon), port: Number(node.slice(colon + 1)) };
}

/** Notices a shard that takes commands and does not answer, as connections that have nothing to send would not. */
function look(cluster: Cluster): void {
  const timer = setInterval(() => {
    for (const node of cluster.nodes("master")) node.info("replication").catch(() => undefined);
  }, LOOK_EVERY_MS);
  cluster.once("end", () => clearInterval(timer));
}

/** Takes user, password and authorities as they are now for each new connection. */
export function followCluster(cluster: Cluster, newest: Newest): void {
  cluster.on("error", () => undefined);
  if (newest === undefined) return;
  cluster.on("+node", ({ options }: Redis) => {
    const given = options.tls;
    const now = (part: "username" | "password") => () => decodeURIComponent(new URL(newest().url)[part]);
    Object.defineProperties(options, {
      username: { get: now("username"), enumerable: true },
      password: { get: now("password"), enumerable: true },
      tls: { get: () => (newest().ca === undefined ? given : { ca: newest().ca }), enumerable: true },
    });
  });
}

/** Opens a second connection to the same shards whose commands wait for theirs to come back. */
export function duplicatePatiently(cluster: Cluster): Cluster {
  return cluster.duplicate([], {
    lazyConnect: false,
    enableOfflineQueue: true,
    maxRedirections: Number.POSITIVE_INFINITY,
    redisOptions: { commandTimeout: undefined, maxRetriesPerRequest: null },
  });
}

/** Ends a connection in any state. */
export async function endCluster(cluster: Cluster): Promise<void> {
  if (cluster.status === "end") return;
  // Without a node there is nothing whose end ioredis would wait for.
  const ended =
    cluster.nodes().length === 0 ? undefined : new Promise<void>((resolve) => cluster.once("end", resolve));
  cluster.disconnect();
  await ended;
}

/** Returns the primary that owns the slot of a key, `host:port`; undefined while none is known. */
export function ownerOf(cluster: Cluster, key: string): string | undefined {
  const slot = new Command("get", [key]).getSlot();
  return cluster.slots[slot]?.[0];
}

import { Redis } from "ioredis";
import { eventually } from "../eventually.ts";
import { freePorts } from "./free-ports.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

export const LAST_SLOT = 16_383;

async function startNode(settings: readonly string[]): Promise<RedisServer> {
  // By default the port of the nodes' own talk is 10000 above the other, and may be none.
  const [busPort] = await freePorts(1);
  const own = ["cluster-enabled yes", `cluster-port ${busPort}`, "cluster-require-full-coverage no"];
  return startRedis([...own, ...settings]);
}

/** A node of a Redis Cluster that owns the slots from 0 on; it refuses calls whose keys lie in different slots. */
export async function startClusterNode(lastSlot: number): Promise<RedisServer> {
  const server = await startNode([]);
  const admin = new Redis(server.url);
  await admin.call("CLUSTER", "ADDSLOTSRANGE", 0, lastSlot);
  const isUp = async () => String(await admin.call("CLUSTER", "INFO")).includes("cluster_state:ok");
  await eventually(isUp, { withinMs: 20_000 });
  admin.disconnect();
  return server;
}

/** Primaries that own equal parts of the slots, and maybe a replica of each. */
export interface RedisShards extends AsyncDisposable {
  /** The queue by the first of them. */
  readonly url: string;
  readonly primaries: readonly RedisServer[];
  readonly replicas: readonly RedisServer[];
}

export interface ShardOptions {
  readonly withReplicas?: boolean;
  readonly settings?: readonly string[];
}

/** A Redis Cluster of several shards, in which each serves also while another one is away. */
export async function startShards(
  count: number,
  { withReplicas = false, settings = [] }: ShardOptions = {},
): Promise<RedisShards> {
  await using starting = new AsyncDisposableStack();
  const start = async (): Promise<RedisServer> => {
    const timing = ["cluster-node-timeout 1000", "repl-diskless-sync-delay 0"];
    return starting.use(await startNode([...timing, ...settings]));
  };
  const startAll = (): Promise<readonly RedisServer[]> => Promise.all(Array.from({ length: count }, start));
  const primaries = await startAll();
  const replicas = withReplicas ? await startAll() : [];
  const all = [...primaries, ...replicas];
  const admins = all.map(({ url }) => new Redis(url));
  starting.defer(() => {
    for (const admin of admins) admin.disconnect();
  });
  const busPorts = await Promise.all(
    admins.map(async (admin) => Number(((await admin.config("GET", "cluster-port")) as string[])[1])),
  );
  const [first] = admins;
  for (const [at, { url }] of all.entries())
    if (at > 0) await first?.call("CLUSTER", "MEET", "127.0.0.1", new URL(url).port, Number(busPorts[at]));
  for (const at of primaries.keys()) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * (LAST_SLOT + 1)) / count));
    await admins[at]?.call("CLUSTER", "ADDSLOTSRANGE", Number(from), Number(to) - 1);
  }
  const ids = await Promise.all(admins.map((admin) => admin.call("CLUSTER", "MYID")));
  const knowsAll = async (admin: Redis) => {
    const nodes = String(await admin.call("CLUSTER", "NODES"));
    return ids.every((id) => nodes.includes(String(id)));
  };
  await eventually(async () => (await Promise.all(admins.map(knowsAll))).every(Boolean), {
    withinMs: 20_000,
  });
  for (const at of replicas.keys()) await admins[count + at]?.call("CLUSTER", "REPLICATE", String(ids[at]));
  const isUp = async (admin: Redis) => {
    const [info, replication] = await Promise.all([admin.call("CLUSTER", "INFO"), admin.info("replication")]);
    const isLinked = !replication.includes("role:slave") || replication.includes("master_link_status:up");
    return isLinked && /cluster_state:ok[\s\S]*cluster_slots_ok:16384/.test(String(info));
  };
  await eventually(async () => (await Promise.all(admins.map(isUp))).every(Boolean), { withinMs: 20_000 });
  for (const admin of admins) admin.disconnect();
  const running = starting.move();
  return {
    url: primaries[0]?.url ?? "",
    primaries,
    replicas,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

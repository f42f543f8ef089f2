import { Redis } from "ioredis";
import { eventually } from "../eventually.ts";
import { freePorts } from "./free-ports.ts";
import { type RedisServer, startRedis } from "./redis-server.ts";

export const LAST_SLOT = 16_383;

/** A node of a Redis Cluster that owns the slots from 0 on; it refuses calls whose keys lie in different slots. */
export async function startClusterNode(lastSlot: number): Promise<RedisServer> {
  // By default the port of the nodes' own talk is 10000 above the other, and may be none.
  const [busPort] = await freePorts(1);
  const settings = ["cluster-enabled yes", `cluster-port ${busPort}`, "cluster-require-full-coverage no"];
  const server = await startRedis(settings);
  const admin = new Redis(server.url);
  await admin.call("CLUSTER", "ADDSLOTSRANGE", 0, lastSlot);
  const isUp = async () => String(await admin.call("CLUSTER", "INFO")).includes("cluster_state:ok");
  await eventually(isUp, { withinMs: 20_000 });
  admin.disconnect();
  return server;
}

import { readFile } from "node:fs/promises";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { Heartbeat, Heartbeats, LivingProcess } from "../../../heartbeats/heartbeats.ts";
import { callScript } from "../server/call-script.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";

const KEPT_MS = 30 * SECOND;
const MAX_BYTES = 16 * 1_024;
const MAX_PROCESSES = 200;
const [BEATS, SEEN] = ["{cap:processes}:beats", "{cap:processes}:seen"];
const BEAT = "capstanHeartbeats:beat";

/** Heartbeats beside the ledger. Calls reject while Redis is away. Throws when it cannot be reached or evicts data. */
export async function createRedisHeartbeats(target: RedisTarget): Promise<Heartbeats> {
  const redis = await connectRedis(target);
  const lua = await readFile(new URL("lua/beat.lua", import.meta.url), "utf8");
  redis.defineCommand(BEAT, { lua, numberOfKeys: 2 });
  const note = async (id: string, text: string): Promise<void> => {
    await callScript(redis, BEAT, [BEATS, SEEN, id, text, KEPT_MS]);
  };
  return {
    beat: (heartbeat) => note(heartbeat.id, textOf(heartbeat)),
    end: (id) => note(id, ""),
    processes: async () => {
      const [seconds] = await redis.time();
      const since = Number(seconds) * SECOND - KEPT_MS;
      const seen = await redis.zrangebyscore(SEEN, since, "+inf", "WITHSCORES", "LIMIT", 0, MAX_PROCESSES);
      const ids = seen.filter((_, index) => index % 2 === 0);
      if (ids.length === 0) return [];
      const texts = await redis.hmget(BEATS, ...ids);
      return texts
        .flatMap((text, index) => livingProcess(text, Number(seen[2 * index + 1])))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}

function textOf(heartbeat: Heartbeat): string {
  const text = JSON.stringify(heartbeat);
  return Buffer.byteLength(text) <= MAX_BYTES ? text : JSON.stringify({ ...heartbeat, watches: undefined });
}

/** Only processes of Capstan write here; a process of another version may leave something out. */
function livingProcess(text: string | null, seenMs: number): readonly LivingProcess[] {
  if (text === null) return [];
  const none = { id: "", roles: [], version: "", ready: false, reasons: [], functions: [] };
  return [{ ...none, ...(JSON.parse(text) as Partial<Heartbeat>), seenAt: new Date(seenMs) }];
}

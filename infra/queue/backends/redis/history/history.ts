import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import {
  foldRuns,
  idleText,
  MAX_RUNS,
  MAX_SEARCHED_KEYS,
  RUNS_KEPT_MS,
  type RunEntry,
  type RunHistory,
} from "../../../../../shared/runtime/letters/run-history.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import { checkFunctionName } from "../../../function-name.ts";
import { placeOfRing, ringIdOf } from "../../../history/ring-id.ts";
import { callScript } from "../server/call-script.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";
import { historyPrefixes } from "../server/shards.ts";

export interface RedisRunHistoryOptions extends RedisTarget {
  readonly clock: Clock;
  /** The most bytes of all workers together. */
  readonly maxBytes: number;
}

/** Runs are written together: a run costs no round trip, and a key that runs often one entry per flush. */
const FLUSH_MS = SECOND;
/** Keys with runs between two flushes; of more keys the oldest are not noted. */
const MAX_PENDING = 5_000;
/** Redis holds up all other clients meanwhile. */
const RINGS_AT_ONCE = 50;
/** The bytes of a ring beside its runs: its key, list and score; measured by bench `history`. */
const RING_BYTES = 450;
const NOTE = "capstanHistory:note";
const REMOVED_AT_ONCE = 1_000;

/**
 * The history of all workers, keys `{cap:*history}:*`, written once a second. While Redis is away runs are not noted;
 * none waits. Throws when Redis cannot be reached at the start.
 */
export async function createRedisRunHistory({
  clock,
  maxBytes,
  ...target
}: RedisRunHistoryOptions): Promise<RunHistory> {
  const redis = await connectRedis(target);
  const { log } = target;
  const lua = await readFile(new URL("lua/note.lua", import.meta.url), "utf8");
  redis.defineCommand(NOTE, { lua: `${constants()}\n${lua}` });
  const prefixes = historyPrefixes(redis);
  const prefixOf = (id: string): string => prefixes[crc32(id) % prefixes.length] ?? "";
  const ringOf = (id: string): string => `${prefixOf(id)}r:${id}`;
  let pending = new Map<string, RunEntry[]>();
  let cancelFlush: (() => void) | undefined;
  /** One after the other: runs of a key stay in their order. */
  let flushed: Promise<unknown> = Promise.resolve();
  const write = async ([prefix, runs]: readonly [string, readonly Pending[]]): Promise<void> => {
    for (let at = 0; at < runs.length; at += RINGS_AT_ONCE) {
      const now = Math.floor(clock.now().getTime() / SECOND);
      const part = runs.slice(at, at + RINGS_AT_ONCE);
      const keys = [`${prefix}rings`, `${prefix}bytes`, ...part.map(([id]) => ringOf(id))];
      const args = [keys.length, ...keys, maxBytes / prefixes.length, now, ...part.flatMap(toArguments)];
      const [, gone] = await callScript<readonly [number, readonly string[]]>(redis, NOTE, args);
      for (let from = 0; from < gone.length; from += REMOVED_AT_ONCE)
        await redis.unlink(...gone.slice(from, from + REMOVED_AT_ONCE).map(ringOf));
    }
  };
  const flush = (): Promise<unknown> => {
    cancelFlush?.();
    cancelFlush = undefined;
    const runs = [...pending];
    pending = new Map();
    flushed = flushed
      .then(() => Promise.all([...Map.groupBy(runs, ([id]) => prefixOf(id))].map(write)))
      .catch((error: unknown) => {
        const fields = { keys: runs.length, error: String(error) };
        log.debug(fields, "Redis did not take notes of runs; they are lost");
      });
    return flushed;
  };
  return {
    note(functionName, key, run) {
      const id = ringIdOf(checkFunctionName(functionName), key);
      const runs = pending.get(id) ?? [];
      pending.set(id, runs);
      addTo(runs, run);
      const [oldest] = pending.size > MAX_PENDING ? pending.keys() : [];
      if (oldest !== undefined) pending.delete(oldest);
      cancelFlush ??= clock.after(FLUSH_MS, () => void flush());
    },
    async runs(functionName, key, limit = MAX_RUNS) {
      const ring = ringOf(ringIdOf(checkFunctionName(functionName), key));
      const values = await redis.lrange(ring, 0, limit - 1);
      const since = new Date(clock.now().getTime() - RUNS_KEPT_MS).toISOString();
      return values.map(runIn).filter(({ endedAt }) => endedAt >= since);
    },
    async find(runId) {
      const named = JSON.stringify({ runId }).slice(1, -1);
      for (let at = 0; at < MAX_SEARCHED_KEYS; at += RINGS_AT_ONCE) {
        const [from, to] = [at, at + RINGS_AT_ONCE].map((keys) => Math.ceil(keys / prefixes.length));
        const part = (prefix: string) => redis.zrevrange(`${prefix}rings`, Number(from), Number(to) - 1);
        const ids = (await Promise.all(prefixes.map(part))).flat();
        const rings = await Promise.all(ids.map((id) => redis.lrange(ringOf(id), 0, -1)));
        const found = ids[rings.findIndex((values) => values.some((value) => value.includes(named)))];
        if (found !== undefined) return placeOfRing(found);
        if (ids.length === 0) return undefined;
      }
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      await flush();
      await endConnection(redis);
    },
  };
}

function addTo(runs: RunEntry[], run: RunEntry): void {
  const last = runs.at(-1);
  const folded = last && foldRuns(last, run);
  if (folded !== undefined) runs.pop();
  runs.push(folded ?? run);
  if (runs.length > MAX_RUNS) runs.shift();
}

function constants(): string {
  return `local MAX_RUNS, RUNS_KEPT_MS, RING_BYTES = ${MAX_RUNS}, ${RUNS_KEPT_MS}, ${RING_BYTES}`;
}

type Argument = string | number;
/** Id and runs, the oldest first. */
type Pending = readonly [string, readonly RunEntry[]];

function toArguments([id, runs]: Pending): readonly Argument[] {
  return [id, runs.length, ...runs.flatMap(valuesOf)];
}

/** Times and since stand apart, so that the script counts an idle run without a look into JSON. */
function valuesOf(entry: RunEntry): readonly Argument[] {
  const { times = 1, since = entry.endedAt, ...run } = entry;
  const idle = idleText(entry)?.replaceAll("\n", " ") ?? "";
  return [times, since, idle, JSON.stringify(run)];
}

function runIn(value: string): RunEntry {
  const end = value.indexOf("\n");
  const [times = "", since = ""] = value.slice(0, end).split(" ", 2);
  const run = JSON.parse(value.slice(end + 1)) as RunEntry;
  return times === "1" ? run : { ...run, times: Number(times), since };
}

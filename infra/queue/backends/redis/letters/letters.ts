import { readFile } from "node:fs/promises";
import {
  type AttemptSummary,
  type DeadLetter,
  type DeadLetterHead,
  deadLetterHeadSchema,
  headOf,
} from "../../../../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters, LetterKey } from "../../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import { checkFunctionName } from "../../../function-name.ts";
import { decodeLetter, encodeLetter } from "../../../letters/encode-letter.ts";
import { hideWith, newHideKey } from "../../../letters/hide.ts";
import { inOrder } from "../../../letters/letter-map.ts";
import { letterPlaces } from "../../../letters/letter-page.ts";
import {
  ATTEMPTS_KEPT_MS,
  checkSeenLetters,
  MAX_ATTEMPTS,
  MAX_LETTERS,
  RETENTION_MS,
  ROOM,
} from "../../../letters/limits.ts";
import { callScript } from "../server/call-script.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";
import { HINTS_CHANNEL } from "../server/hints-channel.ts";
import { placesAfter } from "../server/places-after.ts";
import { functionTag, type RedisConnection } from "../server/shards.ts";

export interface RedisDeadLettersOptions extends RedisTarget {
  readonly clock: Clock;
}

const FUNCTIONS = "{cap:dead-letters}:functions";
const HIDE_KEY = "{cap:dead-letters}:hide-key";
/** Letters in one reply: each has up to 1 MiB. */
const READ_AT_ONCE = 50;
/** Redis holds up all other clients while it removes. */
const REMOVE_AT_ONCE = 1_000;
const PUT = "capstanDeadLetters:put";
const DROP = "capstanDeadLetters:drop";

/**
 * Creates dead letters beside the ledger, keys `{cap:<function>}:d:*`. Calls reject while Redis is away. Throws when it
 * cannot be reached or evicts data.
 */
export async function createRedisDeadLetters({
  clock,
  ...target
}: RedisDeadLettersOptions): Promise<DeadLetters> {
  const redis = await connectRedis(target);
  for (const script of [PUT, DROP]) {
    const file = `lua/${script.slice(script.indexOf(":") + 1)}.lua`;
    const lua = await readFile(new URL(file, import.meta.url), "utf8");
    redis.defineCommand(script, { lua, numberOfKeys: PARTS.length });
  }
  let hide: Promise<(secret: string) => string> | undefined;
  return {
    hide: () => {
      hide ??= hideKeyOf(redis).then(hideWith);
      hide.catch(() => {
        hide = undefined;
      });
      return hide;
    },
    noteAttempt: (at, attempt) => noteAttempt(redis, at, attempt),
    put: async (letter) => {
      await redis.sadd(FUNCTIONS, letter.function);
      const now = clock.now().getTime();
      await callScript(redis, PUT, [
        ...keysOf(redis, letter.function),
        letter.key,
        encodeLetter(letter),
        JSON.stringify(headOf(letter)),
        letter.deadSince,
        now,
        MAX_LETTERS,
        RETENTION_MS,
        ROOM,
      ]);
    },
    get: async (at) => {
      const [letter] = await lettersOf(redis, at.function, [at.key]);
      return letter;
    },
    async *read(all) {
      for (const [name, group] of Map.groupBy(all, (at) => at.function)) {
        for (let start = 0; start < group.length; start += READ_AT_ONCE) {
          const keys = group.slice(start, start + READ_AT_ONCE).map(({ key }) => key);
          yield* await lettersOf(redis, name, keys);
        }
      }
    },
    list: async (name) => {
      await expire(redis, clock);
      const names = name === undefined ? await functionsIn(redis) : [checkFunctionName(name)];
      return inOrder((await Promise.all(names.map((each) => headsOf(redis, each)))).flat());
    },
    page: async (selection) => {
      const names = selection.function === undefined ? await functionsIn(redis) : [];
      const oldest = { score: clock.now().getTime() - RETENTION_MS, member: "" };
      const { places, next } = await letterPlaces(selection, names, (name, from = oldest, count) =>
        placesAfter(redis, { index: `${prefixOf(redis, name)}order`, from, count }),
      );
      const items: DeadLetterHead[] = [];
      for (const [name, of] of Map.groupBy(places, (place) => place.function)) {
        const heads = await headsOfKeys(
          redis,
          name,
          of.map(({ member }) => member),
        );
        items.push(...heads.filter((head) => head !== undefined));
      }
      return { items, ...(next === undefined ? {} : { next }) };
    },
    drop: (name, keys) => remove(redis, name, keys),
    dropSeen: async (name, seen) => {
      checkSeenLetters(seen);
      const letters = seen.flatMap(({ key, times, deadSince }) => [key, times, deadSince]);
      const done = await callScript<readonly unknown[]>(redis, DROP, [
        ...keysOf(redis, name),
        HINTS_CHANNEL,
        prefixOf(redis, name),
        ...letters,
      ]);
      const heads = await headsOfKeys(
        redis,
        name,
        seen.map(({ key }) => key),
      );
      return seen.map(({ key }, index) => {
        if (done[index] === 1) return { key, done: true };
        const head = heads[index];
        return { key, done: false, ...(head === undefined ? {} : { head }) };
      });
    },
    expire: () => expire(redis, clock),
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}

function prefixOf(redis: RedisConnection, functionName: string): string {
  return `${functionTag(checkFunctionName(functionName), redis)}:d:`;
}

const PARTS = ["letters", "heads", "times", "order"];

/** Returns all keys that a script touches: it builds none of its own, as some servers forbid. */
function keysOf(redis: RedisConnection, functionName: string): readonly string[] {
  return PARTS.map((part) => `${prefixOf(redis, functionName)}${part}`);
}

/** Another program may have put anything there. */
async function functionsIn(redis: RedisConnection): Promise<readonly string[]> {
  return (await redis.smembers(FUNCTIONS)).filter((name) => /^[a-z0-9-]{1,63}$/.test(name));
}

async function hideKeyOf(redis: RedisConnection): Promise<string> {
  await redis.set(HIDE_KEY, newHideKey(), "NX");
  const key = await redis.get(HIDE_KEY);
  if (key === null || !/^[0-9a-f]{64}$/.test(key)) {
    throw new Error(`${HIDE_KEY} in Redis is damaged; delete it to get a new one`);
  }
  return key;
}

async function noteAttempt(redis: RedisConnection, at: LetterKey, attempt: AttemptSummary) {
  const prefix = prefixOf(redis, at.function);
  const [list, first] = [`${prefix}attempts:${at.key}`, `${prefix}first:${at.key}`];
  const change = redis.multi();
  if (attempt.failures === 1) change.del(list, first);
  change
    .rpush(list, JSON.stringify(attempt))
    .ltrim(list, -MAX_ATTEMPTS, -1)
    .set(first, attempt.start, "NX")
    .pexpire(list, ATTEMPTS_KEPT_MS)
    .pexpire(first, ATTEMPTS_KEPT_MS);
  const replies = await change.lrange(list, 0, -1).get(first).exec();
  const [texts, firstFailureAt] = (replies ?? []).slice(-2).map(([, reply]) => reply);
  return {
    firstFailureAt: typeof firstFailureAt === "string" ? firstFailureAt : attempt.start,
    attempts: (Array.isArray(texts) ? texts : []).map((text): AttemptSummary => JSON.parse(String(text))),
  };
}

/** Returns those that exist, in the order of the keys. Throws when one is damaged. */
async function lettersOf(
  redis: RedisConnection,
  name: string,
  keys: readonly string[],
): Promise<readonly DeadLetter[]> {
  const prefix = prefixOf(redis, name);
  const [letters, times] = await Promise.all([
    redis.hmget(`${prefix}letters`, ...keys),
    redis.hmget(`${prefix}times`, ...keys),
  ]);
  return letters.flatMap((letter, index) =>
    letter === null ? [] : [{ ...decodeLetter(letter), times: timesOf(times[index]) }],
  );
}

async function headsOf(redis: RedisConnection, name: string): Promise<readonly DeadLetterHead[]> {
  const prefix = prefixOf(redis, name);
  const [heads, times] = await Promise.all([
    redis.hgetall(`${prefix}heads`),
    redis.hgetall(`${prefix}times`),
  ]);
  return Object.entries(heads).flatMap(([key, text]) => {
    const head = headOfText(text);
    return head === undefined ? [] : [{ ...head, times: timesOf(times[key]) }];
  });
}

/** Returns the heads in the order of the keys; undefined for those without a letter. */
async function headsOfKeys(
  redis: RedisConnection,
  name: string,
  keys: readonly string[],
): Promise<readonly (DeadLetterHead | undefined)[]> {
  if (keys.length === 0) return [];
  const prefix = prefixOf(redis, name);
  const [heads, times] = await Promise.all([
    redis.hmget(`${prefix}heads`, ...keys),
    redis.hmget(`${prefix}times`, ...keys),
  ]);
  return heads.map((text, index) => {
    const head = text === null ? undefined : headOfText(text);
    return head && { ...head, times: timesOf(times[index]) };
  });
}

function headOfText(text: string): DeadLetterHead | undefined {
  try {
    return deadLetterHeadSchema().safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns `<times> <dead since>`. */
function timesOf(text: string | null | undefined): number {
  return Math.max(1, Number.parseInt(text ?? "1", 10));
}

async function expire(redis: RedisConnection, clock: Clock): Promise<number> {
  let expired = 0;
  for (const name of await functionsIn(redis)) {
    const before = clock.now().getTime() - RETENTION_MS;
    const old = await redis.zrangebyscore(`${prefixOf(redis, name)}order`, "-inf", before);
    expired += await remove(redis, name, old);
  }
  return expired;
}

async function remove(redis: RedisConnection, name: string, keys: readonly string[]): Promise<number> {
  const prefix = prefixOf(redis, name);
  let removed = 0;
  for (let start = 0; start < keys.length; start += REMOVE_AT_ONCE) {
    const part = keys.slice(start, start + REMOVE_AT_ONCE);
    const change = redis.multi();
    for (const field of ["letters", "heads", "times"]) change.hdel(`${prefix}${field}`, ...part);
    const replies = await change.zrem(`${prefix}order`, ...part).exec();
    removed += Number(replies?.at(-1)?.[1] ?? 0);
  }
  return removed;
}

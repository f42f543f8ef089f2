import type { DeadLetters } from "../../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import { hideWith, newHideKey } from "../../../letters/hide.ts";
import { inOrder } from "../../../letters/letter-map.ts";
import { letterPlaces } from "../../../letters/letter-page.ts";
import { checkSeenLetters, RETENTION_MS } from "../../../letters/limits.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";
import type { RedisConnection } from "../server/shards.ts";
import { defineScripts, FunctionLetters } from "./function-letters.ts";

export interface RedisDeadLettersOptions extends RedisTarget {
  readonly clock: Clock;
}

const FUNCTIONS = "{cap:dead-letters}:functions";
const HIDE_KEY = "{cap:dead-letters}:hide-key";
/** Letters in one reply: each has up to 1 MiB. */
const READ_AT_ONCE = 50;

/** Creates dead letters. Calls reject while Redis is away. Throws when it cannot be reached or evicts data. */
export async function createRedisDeadLetters({
  clock,
  ...target
}: RedisDeadLettersOptions): Promise<DeadLetters> {
  const redis = await connectRedis(target);
  await defineScripts(redis);
  const of = (name: string) => new FunctionLetters(redis, name);
  const outdated = () => clock.now().getTime() - RETENTION_MS;
  const expire = async (): Promise<number> => {
    let expired = 0;
    for (const name of await functionsIn(redis)) expired += await of(name).expire(outdated());
    return expired;
  };
  let hide: Promise<(secret: string) => string> | undefined;
  return {
    hide: () => {
      hide ??= hideKeyOf(redis).then(hideWith);
      hide.catch(() => {
        hide = undefined;
      });
      return hide;
    },
    noteAttempt: async (at, attempt) => of(at.function).noteAttempt(at.key, attempt),
    put: async (letter) => {
      await redis.sadd(FUNCTIONS, letter.function);
      await of(letter.function).put(letter, clock.now().getTime());
    },
    get: async (at) => (await of(at.function).get([at.key]))[0],
    async *read(all) {
      for (const [name, group] of Map.groupBy(all, (at) => at.function)) {
        for (let start = 0; start < group.length; start += READ_AT_ONCE)
          yield* await of(name).get(group.slice(start, start + READ_AT_ONCE).map(({ key }) => key));
      }
    },
    list: async (name) => {
      await expire();
      const names = name === undefined ? await functionsIn(redis) : [name];
      return inOrder((await Promise.all(names.map((each) => of(each).heads()))).flat());
    },
    page: async (selection) => {
      const names = selection.function === undefined ? await functionsIn(redis) : [];
      const oldest = { score: outdated(), member: "" };
      const { places, next } = await letterPlaces(selection, names, (name, from = oldest, count) =>
        of(name).places(from, count),
      );
      const groups = Map.groupBy(places, (place) => place.function);
      const heads = await Promise.all(
        [...groups].map(([name, group]) => of(name).headsOf(group.map(({ member }) => member))),
      );
      const items = heads.flat().filter((head) => head !== undefined);
      return { items, ...(next === undefined ? {} : { next }) };
    },
    drop: async (name, keys) => of(name).remove(keys),
    dropSeen: async (name, seen) => {
      checkSeenLetters(seen);
      return of(name).dropSeen(seen);
    },
    expire,
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
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

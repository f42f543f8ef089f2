import { readFile } from "node:fs/promises";
import type { Member, Selection } from "../../../../../shared/api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../../../../shared/api/kinds.ts";
import { MANAGEMENT, objectKeyOf } from "../../../../../shared/api/kinds.ts";
import { type KindLookup, kindOf as registered } from "../../../../../shared/api/registry.ts";
import type {
  NamePart,
  Read,
  Signs,
  Store,
  Stored,
  TypeKey,
  Unreported,
} from "../../../../../shared/runtime/ports.ts";
import { signOf } from "../../../../../shared/runtime/read/signs.ts";
import { inOrder, isSelected, placementOf, versionOf } from "../../../store/snapshot.ts";
import { callScript } from "../server/call-script.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";
import { HINTS_CHANNEL } from "../server/hints-channel.ts";
import { identifyRedis } from "../server/identity.ts";
import type { RedisConnection } from "../server/shards.ts";
import { createStoreReads, READ_AT_ONCE, type StoreReads, snapshotOf } from "./reads.ts";
import { fieldOf, indexText, keyOfField, keysOf, SIGNS } from "./redis-keys.ts";

/** Scripts of one type, by its six keys. */
const TYPE_SCRIPTS = ["put", "remove", "advance"] as const;
type TypeScript = (typeof TYPE_SCRIPTS)[number];
const KEYS_PER_TYPE = 6;

/** Snapshots per answer where others have their turns in between: parsing them must not take long. */
const EACH_AT_ONCE = 100;

export interface RedisStoreOptions extends RedisTarget {
  /** Finds a kind; default: the registry. */
  readonly kindOf?: KindLookup;
}

/**
 * Creates the read model on Redis, six keys per type (`lua/type.lua`, `redis-keys.ts`). Calls reject while
 * Redis is away. After a restart or a failover no type is ready: Redis may have returned to an earlier state as a
 * whole, which only a list can show. Throws when Redis cannot be reached or evicts data.
 */
export async function createRedisStore({
  kindOf = registered,
  ...target
}: RedisStoreOptions): Promise<Store> {
  const redis = await connectRedis(target);
  await defineScripts(redis);
  const identity = await identifyRedis(redis);
  const reads = await createStoreReads(redis, identity);
  const read = async (type: TypeKey, asked: ObjectKey | Selection): Promise<Read> =>
    "name" in asked ? reads.object(type, asked) : list({ kindOf, type, reads }, asked);
  return {
    get: async (type, key) => (await read(type, key)).found[0],
    list: async (type, selection) => (await read(type, selection)).found,
    read,
    find: async (type, index, value) => inOrder(await reads.members(type, index, value), (member) => member),
    named: (type, part, limit) => named({ redis, type }, part, limit),
    async *each(type) {
      const { objects } = keysOf(type, redis);
      const fields = await redis.hkeys(objects);
      for (let start = 0; start < fields.length; start += EACH_AT_ONCE) {
        const bodies = await redis.hmget(objects, ...fields.slice(start, start + EACH_AT_ONCE));
        yield* bodies.flatMap(snapshotOf);
      }
    },
    put: (type, objects) => put({ redis, kindOf, type }, objects),
    remove: async (type, key, { uid, resourceVersion }) => {
      const before = await call({ redis, type }, "remove", [fieldOf(key), uid, resourceVersion]);
      return snapshotOf(before)[0];
    },
    progress: reads.progress,
    unreported: (type) => readUnreported(redis, type),
    advance: async (type, { ready, resourceVersion, scope, refusal }) => {
      const readyText = ready === undefined ? "" : String(Number(ready));
      await call({ redis, type }, "advance", [
        readyText,
        resourceVersion ?? "",
        scope ?? "",
        await identity(keysOf(type, redis).meta),
        refusal ?? "",
      ]);
    },
    drop: async (type) => {
      await redis.unlink(...Object.values(keysOf(type, redis)));
      if (type.cluster === MANAGEMENT) await redis.hdel(SIGNS, signOf(type));
    },
    signs: redisSigns(redis),
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}

/** The most by which the shown time of a sign is wrong, where the clocks of two machines differ. */
const CLOCK_STEP_MS = 5_000;

/** Keeps signs by the clock of Redis, one for all processes: the caller learns how long each has been silent. */
function redisSigns(redis: RedisConnection): Signs {
  const nowMs = async (): Promise<number> => {
    const [seconds, micros] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  };
  return {
    note: async (types) => {
      const at = await nowMs();
      if (types.length > 0) await redis.hset(SIGNS, new Map(types.map((type) => [signOf(type), at])));
    },
    read: async (now) => {
      const [seen, redisMs] = await Promise.all([redis.hgetall(SIGNS), nowMs()]);
      // In steps, so that the instant of a sign stays the same while answers take now more, now less time.
      const aheadMs = Math.round((now.getTime() - redisMs) / CLOCK_STEP_MS) * CLOCK_STEP_MS;
      return new Map(Object.entries(seen).map(([type, at]) => [type, new Date(Number(at) + aheadMs)]));
    },
  };
}

interface TypeIn {
  readonly redis: RedisConnection;
  readonly type: TypeKey;
}

interface IndexedTypeIn extends TypeIn {
  readonly kindOf: KindLookup;
}

function memberText({ tenant, namespace, name, deleting }: Member): string {
  return JSON.stringify([tenant, namespace, name, ...(deleting === true ? [true] : [])]);
}

async function put(
  { redis, kindOf, type }: IndexedTypeIn,
  objects: readonly KubeObject[],
): Promise<readonly Stored[]> {
  const reply = await call(
    { redis, type },
    "put",
    objects.flatMap((object) => {
      const { uid, resourceVersion } = versionOf(object);
      const { member, entries } = placementOf(kindOf, type, object);
      const text = memberText(member);
      const members = entries.map(({ name, value }) => `${indexText(name, value)}${text}`);
      const count = String(members.length);
      return [fieldOf(member), uid, resourceVersion, JSON.stringify(object), count, ...members];
    }),
  );
  const replies: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return objects.map((_object, at) => {
    const [stored, before] = [replies[2 * at], replies[2 * at + 1]];
    return { stored: stored === 1, before: snapshotOf(before)[0] };
  });
}

async function list(
  { kindOf, type, reads }: Pick<IndexedTypeIn, "kindOf" | "type"> & { readonly reads: StoreReads },
  selection: Selection,
): Promise<Read> {
  const { index } = selection;
  const { found, progress } = await reads.objects(type, index);
  // Of a long list an object may have got another value in the index meanwhile.
  const values = new Set(index?.values);
  const fits = (object: KubeObject): boolean =>
    index === undefined ||
    placementOf(kindOf, type, object).entries.some(
      ({ name, value }) => name === index.name && values.has(value),
    );
  const selected = found.filter((object) => isSelected(object, selection) && fits(object));
  return { found: inOrder(selected, objectKeyOf), progress };
}

/** Fields that Redis looks at in one call: it serves others in between. */
const SCANNED_AT_ONCE = 500;

async function named(
  { redis, type }: TypeIn,
  { namespace = "*", part }: NamePart,
  limit: number,
): Promise<readonly ObjectKey[]> {
  // Names have no character that a pattern of Redis gives a meaning: nothing has another text in its name.
  if (!/^[\w.:-]+$/.test(part) || !/^([\w.:-]*|\*)$/.test(namespace)) return [];
  const { objects } = keysOf(type, redis);
  const pattern = `\\["${namespace}","*${part}*"\\]`;
  const found = new Map<string, ObjectKey>();
  let cursor = "0";
  do {
    const [next, pairs] = await redis.hscan(objects, cursor, "MATCH", pattern, "COUNT", SCANNED_AT_ONCE);
    // Each field is followed by its body.
    for (const [at, field] of pairs.entries()) if (at % 2 === 0) found.set(field, keyOfField(field));
    cursor = next;
  } while (cursor !== "0" && found.size < limit);
  return [...found.values()].slice(0, limit);
}

async function readUnreported(redis: RedisConnection, type: TypeKey): Promise<readonly Unreported[]> {
  const { notes, befores, objects } = keysOf(type, redis);
  const fields = await redis.hkeys(notes);
  const found: Unreported[] = [];
  for (let start = 0; start < fields.length; start += READ_AT_ONCE) {
    const part = fields.slice(start, start + READ_AT_ONCE);
    const [before, after] = await Promise.all([redis.hmget(befores, ...part), redis.hmget(objects, ...part)]);
    for (const at of part.keys())
      found.push({ before: snapshotOf(before[at])[0], after: snapshotOf(after[at])[0] });
  }
  return found;
}

async function defineScripts(redis: RedisConnection): Promise<void> {
  const textOf = (name: string) => readFile(new URL(`lua/${name}.lua`, import.meta.url), "utf8");
  const shared = `local HINTS = ${JSON.stringify(HINTS_CHANNEL)}\n${await textOf("type")}`;
  for (const name of TYPE_SCRIPTS) {
    redis.defineCommand(commandOf(name), {
      lua: `${shared}\n${await textOf(name)}`,
      numberOfKeys: KEYS_PER_TYPE,
    });
  }
}

function commandOf(script: TypeScript): string {
  return `capstanStore:${script}`;
}

async function call({ redis, type }: TypeIn, script: TypeScript, args: readonly string[]): Promise<unknown> {
  const { objects, heads, index, meta, notes, befores } = keysOf(type, redis);
  return callScript(redis, commandOf(script), [objects, heads, index, meta, notes, befores, ...args]);
}

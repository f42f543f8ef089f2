import { readFile } from "node:fs/promises";
import type { Redis } from "ioredis";
import type { Member, Selection } from "../../../../../shared/api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../../../../shared/api/kinds.ts";
import { MANAGEMENT, objectKeyOf } from "../../../../../shared/api/kinds.ts";
import { type KindLookup, kindOf as registered } from "../../../../../shared/api/registry.ts";
import type {
  NamePart,
  Signs,
  Store,
  Stored,
  TypeKey,
  TypeProgress,
  Unreported,
} from "../../../../../shared/runtime/ports.ts";
import { signOf } from "../../../../../shared/runtime/read/signs.ts";
import { sharedReads } from "../../../store/shared-reads.ts";
import { freezeDeep, inOrder, isSelected, placementOf, versionOf } from "../../../store/snapshot.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";
import { HINTS_CHANNEL } from "../server/hints-channel.ts";
import { identifyRedis } from "../server/identity.ts";
import { fieldOf, keyOfField, keysOf, SIGNS } from "./redis-keys.ts";

/** Scripts of one type, by its six keys. */
const TYPE_SCRIPTS = ["put", "remove", "advance"] as const;
type TypeScript = (typeof TYPE_SCRIPTS)[number];
const KEYS_PER_TYPE = 6;

/** Snapshots per answer: a long list must not block the server. */
const READ_AT_ONCE = 500;
/** The same where others have their turns in between: parsing them must not take long. */
const EACH_AT_ONCE = 100;

export interface RedisStoreOptions extends RedisTarget {
  /** Finds a kind; default: the registry. */
  readonly kindOf?: KindLookup;
}

/**
 * Creates the read model on Redis, six keys per type (`lua/type.lua`) under `{cap:store:<cluster>}`. Calls reject while
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
  const readSnapshot = sharedReads(
    READ_AT_ONCE,
    ({ objects, field }: SnapshotPlace) => `${objects} ${field}`,
    (places) => readSnapshots(redis, places),
  );
  const readMembers: ReadMembers = sharedReads(
    READ_AT_ONCE,
    ({ index, prefix }: IndexPlace) => `${index} ${prefix}`,
    (places) => Promise.all(places.map((place) => membersAt(redis, place))),
  );
  const progress = sharedReads(
    READ_AT_ONCE,
    (type: TypeKey) => keysOf(type).meta,
    async (types) => {
      const server = await identity();
      return Promise.all(types.map((type) => readProgress(redis, type, server)));
    },
  );
  return {
    get: (type, key) => readSnapshot({ objects: keysOf(type).objects, field: fieldOf(key) }),
    list: (type, selection) => list({ redis, kindOf, type, readMembers }, selection),
    find: async (type, index, value) =>
      inOrder(await readMembers(indexPlace(type, index, value)), (member) => member),
    named: (type, part, limit) => named({ redis, type }, part, limit),
    async *each(type) {
      const { objects } = keysOf(type);
      const fields = await redis.hkeys(objects);
      for (let start = 0; start < fields.length; start += EACH_AT_ONCE) {
        const bodies = await redis.hmget(objects, ...fields.slice(start, start + EACH_AT_ONCE));
        for (const body of bodies) if (body !== null) yield snapshotOf(body);
      }
    },
    put: async (type, object) => {
      const [stored = NOT_STORED] = await putAll({ redis, kindOf, type }, [object]);
      return stored;
    },
    putAll: (type, objects) => putAll({ redis, kindOf, type }, objects),
    remove: async (type, key, { uid, resourceVersion }) => {
      const before = await call({ redis, type }, "remove", [fieldOf(key), uid, resourceVersion]);
      return typeof before === "string" ? snapshotOf(before) : undefined;
    },
    progress,
    unreported: (type) => readUnreported(redis, type),
    advance: async (type, { ready, resourceVersion, scope, refusal }) => {
      const readyText = ready === undefined ? "" : String(Number(ready));
      await call({ redis, type }, "advance", [
        readyText,
        resourceVersion ?? "",
        scope ?? "",
        await identity(),
        refusal ?? "",
      ]);
    },
    drop: async (type) => {
      await redis.unlink(...Object.values(keysOf(type)));
      if (type.cluster === MANAGEMENT) await redis.hdel(SIGNS, signOf(type));
    },
    signs: redisSigns(redis),
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}

/** The most by which the shown time of a sign is wrong, where the clocks of two machines differ. */
const CLOCK_STEP_MS = 5_000;

/** Keeps signs by the clock of Redis, one for all processes: the caller learns how long each has been silent. */
function redisSigns(redis: Redis): Signs {
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
  readonly redis: Redis;
  readonly type: TypeKey;
}

interface IndexedTypeIn extends TypeIn {
  readonly kindOf: KindLookup;
}

function indexText(index: string, value: string): string {
  return JSON.stringify([index, value]);
}

function memberText({ tenant, namespace, name, deleting }: Member): string {
  return JSON.stringify([tenant, namespace, name, ...(deleting === true ? [true] : [])]);
}

function snapshotOf(body: string): KubeObject {
  const parsed: KubeObject = JSON.parse(body);
  return freezeDeep(parsed);
}

/** Where the members of one value are: a sorted set, and the text that they begin with. */
interface IndexPlace {
  readonly index: string;
  readonly prefix: string;
}

type ReadMembers = (place: IndexPlace) => Promise<readonly Member[]>;

function indexPlace(type: TypeKey, index: string, value: string): IndexPlace {
  return { index: keysOf(type).index, prefix: indexText(index, value) };
}

async function membersAt(redis: Redis, { index, prefix }: IndexPlace): Promise<readonly Member[]> {
  // A member starts with a bracket; `\` is the character after it.
  const texts = await redis.zrangebylex(index, `[${prefix}[`, `(${prefix}\\`);
  return texts.map((text) => {
    const parsed: readonly [string, string, string, true?] = JSON.parse(text.slice(prefix.length));
    const [tenant, namespace, name, deleting] = parsed;
    const member = { tenant, namespace, name };
    return deleting === undefined ? member : { ...member, deleting };
  });
}

const NOT_STORED: Stored = { stored: false, before: undefined };

async function putAll(
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
    return { stored: stored === 1, before: typeof before === "string" ? snapshotOf(before) : undefined };
  });
}

async function list(
  { redis, kindOf, type, readMembers }: IndexedTypeIn & { readonly readMembers: ReadMembers },
  selection: Selection,
): Promise<readonly KubeObject[]> {
  const { index } = selection;
  const fields =
    index === undefined ? await redis.hkeys(keysOf(type).objects) : await fieldsOf(readMembers, type, index);
  const found: KubeObject[] = [];
  for (let start = 0; start < fields.length; start += READ_AT_ONCE) {
    const bodies = await redis.hmget(keysOf(type).objects, ...fields.slice(start, start + READ_AT_ONCE));
    for (const body of bodies) if (body !== null) found.push(snapshotOf(body));
  }
  // Between the two reads an object may have got another value in the index.
  const values = new Set(index?.values);
  const fits = (object: KubeObject): boolean =>
    index === undefined ||
    placementOf(kindOf, type, object).entries.some(
      ({ name, value }) => name === index.name && values.has(value),
    );
  return inOrder(
    found.filter((object) => isSelected(object, selection) && fits(object)),
    objectKeyOf,
  );
}

async function fieldsOf(
  readMembers: ReadMembers,
  type: TypeKey,
  { name, values }: NonNullable<Selection["index"]>,
): Promise<readonly string[]> {
  const members = await Promise.all(values.map((value) => readMembers(indexPlace(type, name, value))));
  return [...new Set(members.flat().map(fieldOf))];
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
  const { objects } = keysOf(type);
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

/** Where the snapshot of one object is: a hash, and the field in it. */
interface SnapshotPlace {
  readonly objects: string;
  readonly field: string;
}

/** Reads snapshots, in the order of their places: one call for each type. */
async function readSnapshots(
  redis: Redis,
  places: readonly SnapshotPlace[],
): Promise<readonly (KubeObject | undefined)[]> {
  const found = new Map<SnapshotPlace, KubeObject | undefined>();
  const read = async (objects: string, same: readonly SnapshotPlace[]): Promise<void> => {
    const bodies = await redis.hmget(objects, ...same.map(({ field }) => field));
    for (const [at, place] of same.entries()) found.set(place, orNone(bodies[at]));
  };
  const byType = Map.groupBy(places, ({ objects }) => objects);
  await Promise.all([...byType].map(([objects, same]) => read(objects, same)));
  return places.map((place) => found.get(place));
}

const PROGRESS_FIELDS = ["ready", "version", "scope", "server", "objects", "entries", "refusal"];

/**
 * Ready: this server process (its run id, not empty) got the whole list and has lost nothing of it. The counts are of one
 * instant; not by a script, since that counts as a write of its keys, and a worker may only read them.
 */
async function readProgress(redis: Redis, type: TypeKey, server: string): Promise<TypeProgress> {
  const { objects, heads, index, meta } = keysOf(type);
  const asked = redis.multi().hmget(meta, ...PROGRESS_FIELDS);
  const replies = await asked.hlen(objects).hlen(heads).zcard(index).exec();
  const [fields, ...counts] = (replies ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
  const [ready, version, scope, of, expected, entries, refusal] = fields as readonly (string | null)[];
  const isWhole = sameList(counts, [Number(expected), Number(expected), Number(entries)]);
  return {
    ready: ready === "1" && server !== "" && of === server && isWhole,
    resourceVersion: version ?? undefined,
    scope: scope ?? undefined,
    refusal: refusal ?? undefined,
  };
}

function sameList(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}

async function readUnreported(redis: Redis, type: TypeKey): Promise<readonly Unreported[]> {
  const { notes, befores, objects } = keysOf(type);
  const fields = await redis.hkeys(notes);
  const found: Unreported[] = [];
  for (let start = 0; start < fields.length; start += READ_AT_ONCE) {
    const part = fields.slice(start, start + READ_AT_ONCE);
    const [before, after] = await Promise.all([redis.hmget(befores, ...part), redis.hmget(objects, ...part)]);
    for (const at of part.keys()) found.push({ before: orNone(before[at]), after: orNone(after[at]) });
  }
  return found;
}

function orNone(body: string | null | undefined): KubeObject | undefined {
  return typeof body === "string" ? snapshotOf(body) : undefined;
}

async function defineScripts(redis: Redis): Promise<void> {
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
  const { objects, heads, index, meta, notes, befores } = keysOf(type);
  // defineCommand adds methods that the types do not know.
  const method: unknown = Reflect.get(redis, commandOf(script));
  if (typeof method !== "function") throw new Error(`bug: script ${script} is not defined`);
  return Reflect.apply(method, redis, [objects, heads, index, meta, notes, befores, ...args]);
}

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Member, Selection } from "../../../../../shared/api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../../../../shared/api/kinds.ts";
import type { Read, TypeKey, TypeProgress } from "../../../../../shared/runtime/ports.ts";
import { sharedReads } from "../../../store/shared-reads.ts";
import { freezeDeep } from "../../../store/snapshot.ts";
import type { RedisIdentity } from "../server/identity.ts";
import { isCluster, type RedisConnection } from "../server/shards.ts";
import { fieldOf, indexText, keysOf } from "./redis-keys.ts";

/** Snapshots per answer: a long list must not block the server. */
export const READ_AT_ONCE = 500;

/** Reads of the read model: those of one turn of the event loop are one call of the server. */
export interface StoreReads {
  progress(type: TypeKey): Promise<TypeProgress>;
  object(type: TypeKey, key: ObjectKey): Promise<Read>;
  /** Lists objects in no order, of a long list also some that have left the index value meanwhile. */
  objects(type: TypeKey, index: Selection["index"]): Promise<Read>;
  members(type: TypeKey, index: string, value: string): Promise<readonly Member[]>;
}

/** Objects, heads, index and meta. */
const KEYS_PER_TYPE = 4;

/** The answer to a look, and the progress of its type at the same instant. */
interface Answer {
  readonly found: unknown;
  readonly progress: TypeProgress;
}

/** A look at a type: how, and its texts, as `lua/read.lua` says. */
interface Look {
  readonly type: TypeKey;
  readonly how: "progress" | "get" | "members" | "list";
  readonly texts: readonly string[];
}

export async function createStoreReads(redis: RedisConnection, identity: RedisIdentity): Promise<StoreReads> {
  const placesOf = (type: TypeKey) => keysOf(type, redis);
  const script = readScript(redis, await readFile(new URL("lua/read.lua", import.meta.url), "utf8"));
  const lookOnServer = async (looks: readonly Look[]): Promise<readonly Answer[]> => {
    const types = [...new Map(looks.map(({ type }) => [placesOf(type).meta, type])).values()];
    const places = new Map(types.map((type, at) => [placesOf(type).meta, at]));
    const placeOf = ({ type }: Look): number => places.get(placesOf(type).meta) ?? 0;
    const keys = types.flatMap((type) => Object.values(placesOf(type)).slice(0, KEYS_PER_TYPE));
    const server = await identity(keys[0] ?? "");
    const args = looks.flatMap((each) => [placeOf(each) + 1, each.how, each.texts.length, ...each.texts]);
    const replies = await script(keys, [READ_AT_ONCE, ...args]);
    const progress = replies.slice(0, types.length).map((reply) => progressOf(reply, server));
    return Promise.all(
      looks.map(async (each, at): Promise<Answer> => {
        const own = { progress: progress[placeOf(each)] as TypeProgress, found: replies[types.length + at] };
        return each.how === "list" ? wholeList(each, own) : { ...own, found: answerOf(each, own.found) };
      }),
    );
  };
  const idOf = ({ type, how, texts }: Look): string => [placesOf(type).meta, how, ...texts].join(" ");
  const look = sharedReads(READ_AT_ONCE, idOf, async (looks: readonly Look[]) => {
    const found = new Map<Look, Answer>();
    // Keys of one script must lie in one slot.
    const slotOf = ({ type }: Look): string => (isCluster(redis) ? placesOf(type).meta : type.cluster);
    const bySlot = Map.groupBy(looks, slotOf).values();
    await Promise.all(
      [...bySlot].map(async (same) => {
        for (const [at, each] of (await lookOnServer(same)).entries()) found.set(same[at] as Look, each);
      }),
    );
    return looks.map((each) => found.get(each) as Answer);
  });
  const progressOfType = async (type: TypeKey): Promise<TypeProgress> =>
    (await look({ type, how: "progress", texts: [] })).progress;
  /** Where a list takes more than one call, its type must have been ready at both ends. */
  const wholeList = async ({ type }: Look, { found, progress }: Answer): Promise<Answer> => {
    const [fields, bodies] = found as readonly [readonly string[], readonly Text[]];
    const all = [...bodies];
    for (let at = bodies.length; at < fields.length; at += READ_AT_ONCE)
      all.push(...(await redis.hmget(placesOf(type).objects, ...fields.slice(at, at + READ_AT_ONCE))));
    const isWhole = all.length === bodies.length || (await progressOfType(type)).ready;
    return { found: all.flatMap(snapshotOf), progress: { ...progress, ready: progress.ready && isWhole } };
  };
  return {
    progress: progressOfType,
    object: (type, key) => look({ type, how: "get", texts: [fieldOf(key)] }) as Promise<Read>,
    objects: async (type, index) => {
      if (index?.values.length === 0) return { found: [], progress: await progressOfType(type) };
      const texts = index?.values.map((value) => indexText(index.name, value)) ?? [];
      return look({ type, how: "list", texts }) as Promise<Read>;
    },
    members: async (type, index, value) =>
      (await look({ type, how: "members", texts: [indexText(index, value)] })).found as readonly Member[],
  };
}

/** Calls a script that only reads, which a user without the right to write its keys may call. */
function readScript(redis: RedisConnection, lua: string) {
  const sha = createHash("sha1").update(lua).digest("hex");
  return async (keys: readonly string[], args: readonly (string | number)[]): Promise<readonly unknown[]> => {
    const given = [keys.length, ...keys, ...args];
    const reply: unknown = await redis.call("EVALSHA_RO", sha, ...given).catch((error: unknown) => {
      // The server does not know it yet, or no longer.
      if (!String(error).includes("NOSCRIPT")) throw error;
      return redis.call("EVAL_RO", lua, ...given);
    });
    return reply as readonly unknown[];
  };
}

type Text = string | null;

/** Ready: this server process (its run id, not empty) got the whole list and has lost nothing of it. */
function progressOf(reply: unknown, server: string): TypeProgress {
  const [ready, version, scope, of, expected, entries, refusal, ...counts] = reply as readonly Text[];
  const [objects, heads, index] = counts.map(Number);
  const isWhole = objects === Number(expected) && heads === Number(expected) && index === Number(entries);
  return {
    ready: ready === "1" && server !== "" && of === server && isWhole,
    resourceVersion: version ?? undefined,
    scope: scope ?? undefined,
    refusal: refusal ?? undefined,
  };
}

function answerOf({ how }: Look, reply: unknown): unknown {
  if (how === "get") return snapshotOf(reply);
  return how === "members" ? (reply as readonly string[]).map(memberOf) : undefined;
}

function memberOf(text: string): Member {
  const [tenant, namespace, name, deleting]: readonly [string, string, string, true?] = JSON.parse(text);
  return { tenant, namespace, name, ...(deleting === true ? { deleting } : {}) };
}

/** Returns one snapshot, or none. */
export function snapshotOf(body: unknown): readonly KubeObject[] {
  if (typeof body !== "string") return [];
  const parsed: KubeObject = JSON.parse(body);
  return [freezeDeep(parsed)];
}

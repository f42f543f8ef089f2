import type { Key } from "../../../../../shared/runtime/queue/key.ts";
import type { KeyState } from "../../../../../shared/runtime/queue/queue-port.ts";
import type {
  KeyPage,
  KeyRow,
  KeySelection,
  QueueReader,
} from "../../../../../shared/runtime/queue/queue-reader.ts";
import { type Cursor, checkPageLimit, formatCursor, parseCursor } from "../../../../platform/cursor.ts";
import { LOOKED_AT, MAX_PAGE } from "../../../limits.ts";
import { countsIn, topTenants } from "../../../top-tenants.ts";
import { placesAfter, type SortedSets } from "../server/places-after.ts";
import { keyStateOf, peekOf, tenantsOf } from "./redis-replies.ts";
import type { RunScript } from "./redis-scripts.ts";

/** Sorted sets of `lua/ledger.lua`. */
const INDEX: { readonly [state in KeyState["state"]]: string } = {
  waiting: "waiting",
  ready: "sent",
  running: "running",
  dead: "dead",
};
/** Fields in one answer: Redis holds up all other clients meanwhile. */
const FIELDS_AT_ONCE = 1_000;

/** Commands that read the data of a ledger, on a Redis or in this process. */
export interface LedgerServer extends SortedSets {
  hgetall(hash: string): Promise<Record<string, string>>;
  hmget(hash: string, ...fields: string[]): Promise<(string | null)[]>;
  hscan(hash: string, cursor: string, count: "COUNT", atOnce: number): Promise<[string, string[]]>;
  zrange(index: string, first: string, last: string): Promise<string[]>;
}

/** Creates what reads the ledger, by commands that write nothing; all of them may be allowed alone. */
export function createLedgerReader(
  redis: LedgerServer,
  run: RunScript,
  prefixOf: (functionName: string) => string,
): QueueReader {
  const readTenants = async (name: string) => tenantsOf(await fieldsOf(redis, `${prefixOf(name)}tenants`));
  return {
    peek: async (name) => peekOf(await run("producer", "depth", name, [0])),
    topTenants: async (name, limit, namespaces) => {
      checkPageLimit(limit, MAX_PAGE);
      return topTenants(await readTenants(name), limit, namespaces);
    },
    countsIn: async (name, namespaces) => countsIn(await readTenants(name), namespaces),
    keys: (name, selection) => readKeys(redis, prefixOf(name), selection),
    keyState: async (name, key) => keyStateOf(await redis.hgetall(`${prefixOf(name)}k:${key}`)),
  };
}

async function readKeys(redis: LedgerServer, prefix: string, selection: KeySelection): Promise<KeyPage> {
  const { state, tenant, limit, after } = selection;
  checkPageLimit(limit, MAX_PAGE);
  const count = tenant === undefined ? limit + 1 : LOOKED_AT;
  const from = after === undefined ? undefined : parseCursor(after);
  const looked = await placesAfter(redis, { index: `${prefix}${INDEX[state]}`, from, count });
  const fitting =
    tenant === undefined ? looked : looked.filter(({ member }) => tenantOfKey(member) === tenant);
  const places = fitting.slice(0, limit);
  const entries = await Promise.all(places.map(({ member }) => redis.hgetall(`${prefix}k:${member}`)));
  const end = fitting.length > limit ? places.at(-1) : looked.length === count ? looked.at(-1) : undefined;
  return {
    items: places.flatMap((place, index) => rowOf(place, keyStateOf(entries[index] ?? {}), state)),
    ...(end === undefined ? {} : { next: formatCursor(end) }),
  };
}

/** Returns the tenant of a key: the part before its first `|`, empty without one. */
function tenantOfKey(key: Key): string {
  const end = key.indexOf("|");
  return end < 0 ? "" : key.slice(0, end);
}

/** A key that has moved since its place was read is left out. */
function rowOf(place: Cursor, found: KeyState | undefined, state: KeyState["state"]): readonly KeyRow[] {
  if (found?.state !== state) return [];
  const until = state === "running" ? { until: new Date(place.score) } : {};
  return [{ key: place.member, ...found, ...until }];
}

/** Returns the fields of a large hash with their values, in parts; a field that moves meanwhile may come twice. */
async function fieldsOf(redis: LedgerServer, hash: string): Promise<readonly string[]> {
  const fields = new Map<string, string>();
  let cursor = "0";
  do {
    const [next, texts] = await redis.hscan(hash, cursor, "COUNT", FIELDS_AT_ONCE);
    for (let at = 0; at < texts.length; at += 2) fields.set(texts[at] ?? "", texts[at + 1] ?? "");
    cursor = next;
  } while (cursor !== "0");
  return [...fields].flat();
}

import { type Key, parseKey } from "../../../shared/runtime/key.ts";
import type { KeyRow, QueueReader } from "../../../shared/runtime/queue-reader.ts";
import type { KeyState } from "../../../shared/runtime/queue-state.ts";

/** A key that its function has failed with, or has given up. */
export interface Trouble {
  readonly function: string;
  readonly key: Key;
  readonly isDead: boolean;
  /** In a row. */
  readonly failures: number;
  /** At most 200 characters. */
  readonly error: string;
  /** RFC 3339; known of dead keys. */
  readonly since?: string | undefined;
}

/** The troubles of one Cluster. */
export interface ClusterTroubles {
  readonly worst: Trouble;
  readonly dead: number;
  readonly failing: number;
}

/** Dead and failing keys by Cluster, as far as the queue has been read. */
export interface Troubles {
  of(cluster: string): ClusterTroubles | undefined;
  /** Reads the dead and failing keys of a function; returns the Clusters whose troubles have changed. */
  read(functionName: string): Promise<ReadonlySet<string>>;
  /** Reads one key; returns its Cluster when that has changed. */
  readKey(functionName: string, key: Key): Promise<string | undefined>;
  /** How many keys of a function are known to be in trouble. */
  count(functionName: string): number;
}

/** 10,000 dead keys, as many as a ledger keeps. */
const MAX_DEAD_PAGES = 50;
/** Failing keys wait for their next attempt, for at most 5 min: they are among the first that are due. */
const MAX_WAITING_PAGES = 10;
const PAGE = 200;
const MAX_ERROR_CHARS = 200;

export function createTroubles(queue: Pick<QueueReader, "keys" | "keyState">): Troubles {
  /** Function → key → trouble. */
  const known = new Map<string, Map<Key, Trouble>>();
  const byCluster = new Map<string, Map<string, Trouble>>();
  const ofFunction = (name: string): Map<Key, Trouble> => {
    const troubles = known.get(name) ?? new Map<Key, Trouble>();
    known.set(name, troubles);
    return troubles;
  };
  /** Returns the Cluster of a key whose trouble has changed. */
  const note = (name: string, key: Key, trouble: Trouble | undefined): string | undefined => {
    const cluster = parseKey(key)?.tenant;
    const before = ofFunction(name).get(key);
    if (cluster === undefined || isSame(before, trouble)) return undefined;
    const others = byCluster.get(cluster) ?? new Map<string, Trouble>();
    const id = `${name} ${key}`;
    if (trouble === undefined) {
      ofFunction(name).delete(key);
      others.delete(id);
    } else {
      ofFunction(name).set(key, trouble);
      others.set(id, trouble);
    }
    if (others.size === 0) byCluster.delete(cluster);
    else byCluster.set(cluster, others);
    return cluster;
  };
  return {
    of: (cluster) => sumOf([...(byCluster.get(cluster)?.values() ?? [])]),
    count: (name) => known.get(name)?.size ?? 0,
    readKey: async (name, key) => note(name, key, troubleOf(name, key, await queue.keyState(name, key))),
    read: async (name) => {
      const found = new Map<Key, Trouble>();
      for await (const row of rowsOf(queue, name)) {
        const trouble = troubleOf(name, row.key, row);
        if (trouble !== undefined) found.set(row.key, trouble);
      }
      const keys = new Set([...found.keys(), ...ofFunction(name).keys()]);
      const changed = [...keys].map((key) => note(name, key, found.get(key)));
      return new Set(changed.filter((cluster) => cluster !== undefined));
    },
  };
}

async function* rowsOf(queue: Pick<QueueReader, "keys">, name: string): AsyncIterable<KeyRow> {
  const states = [
    ["dead", MAX_DEAD_PAGES],
    ["waiting", MAX_WAITING_PAGES],
  ] as const;
  for (const [state, maxPages] of states) {
    let after: string | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const { items, next } = await queue.keys(name, { state, limit: PAGE, after });
      yield* items;
      if (next === undefined) break;
      after = next;
    }
  }
}

function troubleOf(name: string, key: Key, state: KeyState | undefined): Trouble | undefined {
  if (state === undefined || (state.state !== "dead" && state.failures === 0)) return undefined;
  const { failure, failures, since } = state;
  const isDead = state.state === "dead";
  const error = `${failure?.reason ?? "Unknown"}: ${failure?.message ?? ""}`.slice(0, MAX_ERROR_CHARS);
  return { function: name, key, isDead, failures, error, since: isDead ? since?.toISOString() : undefined };
}

function isSame(a: Trouble | undefined, b: Trouble | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.isDead === b.isDead && a.failures === b.failures && a.error === b.error && a.since === b.since;
}

function sumOf(troubles: readonly Trouble[]): ClusterTroubles | undefined {
  const [first, ...others] = troubles;
  if (first === undefined) return undefined;
  const dead = troubles.filter(({ isDead }) => isDead).length;
  return { worst: others.reduce(worse, first), dead, failing: troubles.length - dead };
}

/** Dead before failing, then what failed most often, then by name. */
function worse(a: Trouble, b: Trouble): Trouble {
  if (a.isDead !== b.isDead) return a.isDead ? a : b;
  if (a.failures !== b.failures) return a.failures > b.failures ? a : b;
  return a.function <= b.function ? a : b;
}

import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { type Key, type KeyParts, parseKey } from "../../../shared/runtime/queue/key.ts";
import type { KeyRow, QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import type { KeyState } from "../../../shared/runtime/queue/queue-state.ts";
import type { KeyTrouble } from "../../operate/explain/problem.ts";

/** A failure with a message of at most 1,000 characters. */
export type Trouble = KeyTrouble;

/** The troubles of one Cluster. */
export interface ClusterTroubles {
  /** The worst first, at most 20. */
  readonly worst: readonly Trouble[];
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
  /** Returns how many keys of a function are known to be in trouble. */
  count(functionName: string): number;
}

/** 10,000 dead keys, as many as a ledger keeps. */
const MAX_DEAD_PAGES = 50;
/** Failing keys wait for their next attempt, for at most 5 min: they are among the first that are due. */
const MAX_WAITING_PAGES = 10;
const PAGE = 200;
const MAX_ERROR_CHARS = 1_000;
const MAX_WORST = 20;

/** `clusterOf` names the Cluster of the object of a key whose tenant does not. */
export function createTroubles(
  queue: Pick<QueueReader, "keys" | "keyState">,
  clusterOf: (key: KeyParts) => Promise<string | undefined> = async () => undefined,
): Troubles {
  /** Function → key → trouble. */
  const known = new Map<string, Map<Key, Trouble>>();
  const byCluster = new Map<string, Map<string, Trouble>>();
  const ofFunction = (name: string): Map<Key, Trouble> => {
    const troubles = known.get(name) ?? new Map<Key, Trouble>();
    known.set(name, troubles);
    return troubles;
  };
  /** The owners of keys in trouble. An object may be gone by the time its key recovers. */
  const owners = new Map<Key, string>();
  const ownerOf = async (key: Key): Promise<string | undefined> => {
    const parts = parseKey(key);
    if (parts === undefined) return undefined;
    const known = parts.tenant.endsWith("/-") ? (owners.get(key) ?? (await clusterOf(parts))) : parts.tenant;
    return known ?? parts.tenant;
  };
  /** Returns the Cluster of a key whose trouble has changed. */
  const note = async (name: string, key: Key, trouble: Trouble | undefined): Promise<string | undefined> => {
    const before = ofFunction(name).get(key);
    if (isSame(before, trouble)) return undefined;
    const cluster = await ownerOf(key);
    if (cluster === undefined) return undefined;
    if (trouble === undefined) owners.delete(key);
    else owners.set(key, cluster);
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
      const changed: (string | undefined)[] = [];
      for (const key of keys) changed.push(await note(name, key, found.get(key)));
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
  const { failures, since, until } = state;
  const isDead = state.state === "dead";
  const { message, ...failure } = state.failure ?? { class: "Transient", reason: "Unknown", message: "" };
  return {
    function: name,
    key,
    isDead,
    failures,
    failure: { ...failure, message: message.slice(0, MAX_ERROR_CHARS) },
    since: isDead ? since?.toISOString() : undefined,
    until: until?.toISOString(),
  };
}

function isSame(a: Trouble | undefined, b: Trouble | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  // Another time of the next attempt changes nothing.
  return JSON.stringify({ ...a, until: 0 }) === JSON.stringify({ ...b, until: 0 });
}

function sumOf(troubles: readonly Trouble[]): ClusterTroubles | undefined {
  if (troubles.length === 0) return undefined;
  const dead = troubles.filter(({ isDead }) => isDead).length;
  const worst = troubles.toSorted(compareTroubles).slice(0, MAX_WORST);
  return { worst, dead, failing: troubles.length - dead };
}

/** Puts dead before failing, then what failed most often, then by name. */
function compareTroubles(a: Trouble, b: Trouble): number {
  return (
    Number(b.isDead) - Number(a.isDead) || b.failures - a.failures || compareText(a.function, b.function)
  );
}

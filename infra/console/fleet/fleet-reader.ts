import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import { MANAGEMENT, workloadCluster } from "../../../shared/api/kinds.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import type { Hint, Hints } from "../../../shared/runtime/queue/hints.ts";
import { type Key, parseKey } from "../../../shared/runtime/queue/key.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { readFreshness } from "../../../shared/runtime/read/signs.ts";
import type { ReadUnserved } from "../../operate/explain/unserved.ts";
import type { Concern } from "./cluster-facts.ts";
import { clusterOfKey } from "./cluster-of-key.ts";
import type { Freshness } from "./freshness.ts";
import type { Roster } from "./roster.ts";
import {
  createSnapshotReader,
  inParts,
  type ReadSnapshots,
  type SnapshotSources,
} from "./snapshot-reader.ts";
import type { Troubles } from "./troubles.ts";

/** Clusters and keys that hints have named since the last call. */
interface Pending {
  /** Clusters whose own snapshots have changed. */
  readonly clusters: ReadonlySet<string>;
  readonly keys: readonly { readonly function: string; readonly key: Key }[];
  /** More keys have moved than are worth naming: the queues must be read. */
  readonly isBusy: boolean;
  /** Hints may be missing, or too many Clusters have changed: everything must be read. */
  readonly isGap: boolean;
}

interface PendingHints {
  note(hints: readonly Hint[]): void;
  gap(): void;
  take(): Pending;
}

/** More of them are named as a whole. */
const MAX_PENDING = 1_000;

export interface FleetSources extends Omit<SnapshotSources, "roster" | "troubles"> {
  readonly queue: Pick<QueueReader, "keys" | "keyState" | "peek" | "topTenants">;
  /** Reads which functions no process serves; absent where that is not known. */
  readonly unserved?: ReadUnserved | undefined;
  /** The hints; absent where changes are seen when everything is read again. */
  readonly hints?: Hints | undefined;
}

/** Where what has been read goes. */
export interface FleetTargets {
  readonly troubles: Troubles;
  readonly roster: Roster;
  readonly freshness: Freshness;
}

export interface FleetReader extends Disposable {
  /** Reads what hints name, and what is due to be read again. Never rejects: a part that cannot be read is old. */
  read(): Promise<void>;
}

const EVERYTHING_EVERY_MS = MINUTE;
const QUEUES_EVERY_MS = 5 * SECOND;

/** Clusters that a function without worker holds up: the ones with the most keys. */
const MOST_TENANTS = 200;
const MOST_KEYS = 200;

/** Hints may be lost, so everything is read again every 60 s. */
export function createFleetReader(sources: FleetSources, targets: FleetTargets): FleetReader {
  const { clock, hints, store } = sources;
  const pending = createPendingHints();
  const following = hints?.follow(pending.note, pending.gap);
  const readSnapshots = createSnapshotReader({ ...sources, ...targets });
  const readQueues = createQueuesReader(sources, targets, readSnapshots);
  const isAllDue = createRhythm(EVERYTHING_EVERY_MS, clock);
  const areQueuesDue = createRhythm(QUEUES_EVERY_MS, clock);
  const noted = async (part: string, read: () => Promise<string | undefined>): Promise<void> => {
    const problem = await read().catch(
      (error: unknown) =>
        `cannot be read: ${messageOf(error)}; the last known state is shown until it answers: start it if it has ended`,
    );
    targets.freshness.note(part, problem);
  };
  const readSilences = async (): Promise<void> => {
    // Where it cannot be read the other parts say so.
    const found = await readFreshness(store, clock.now()).catch(() => undefined);
    if (found !== undefined) targets.freshness.noteSilences(found.silences);
  };
  return {
    async read() {
      const hinted = pending.take();
      const isAll = isAllDue(hinted.isGap);
      const isDue = areQueuesDue(isAll || hinted.isBusy);
      await noted("Clusters", () => readSnapshots(isAll ? "all" : hinted.clusters));
      // A part that was not read is as old as before.
      if (isDue || hinted.keys.length > 0) await noted("queue", () => readQueues({ hinted, isAll, isDue }));
      if (isDue) await readSilences();
    },
    [Symbol.dispose]: () => following?.[Symbol.dispose](),
  };
}

/** Returns a question: is it due, or wanted before? The answer yes starts the next wait. */
function createRhythm(everyMs: number, clock: FleetSources["clock"]): (isWanted: boolean) => boolean {
  let dueAt = Number.NEGATIVE_INFINITY;
  return (isWanted) => {
    const now = clock.now().getTime();
    if (!isWanted && now < dueAt) return false;
    dueAt = now + everyMs;
    return true;
  };
}

interface QueuesAsked {
  readonly hinted: Pending;
  readonly isAll: boolean;
  readonly isDue: boolean;
}

/** Reads the keys that hints name, and those of functions in which keys have died, failed or recovered. */
function createQueuesReader(
  { queue, store, functions, clock, unserved = async () => [] }: FleetSources,
  { troubles, roster }: FleetTargets,
  readSnapshots: ReadSnapshots,
) {
  const seen = new Map<string, string>();
  /** The first problem of a Cluster depends on its objects, too. */
  const judge = async (clusters: Iterable<string | undefined>): Promise<void> => {
    const changed = new Set([...clusters].filter((cluster) => cluster !== undefined));
    if (changed.size > 0) await readSnapshots(changed);
  };
  const look = async (name: string, isAll: boolean): Promise<void> => {
    const { dead, counts } = await queue.peek(name);
    const mark = `${dead} ${counts.failures}`;
    const isQuiet = seen.get(name) === mark && troubles.count(name) === 0;
    if (isQuiet && !isAll) return;
    await judge(await troubles.read(name));
    seen.set(name, mark);
  };
  const clusterOf = clusterOfKey({ store, functions });
  /** Returns Clusters of ready keys; keys of providers have no tenant that names theirs. */
  const clustersOf = async (name: string, tenant: string): Promise<readonly string[]> => {
    if (!tenant.endsWith("/-")) return [tenant];
    const { items } = await queue.keys(name, { state: "ready", tenant, limit: MOST_KEYS });
    const parts = items.map(({ key }) => parseKey(key)).filter((each) => each !== undefined);
    return (await Promise.all(parts.map(clusterOf))).filter((each) => each !== undefined);
  };
  const lookForUnserved = async (): Promise<void> => {
    const held = new Map<string, Concern>();
    for (const { function: name, late } of await unserved()) {
      if (late === undefined) break;
      const tenants = await queue.topTenants(name, MOST_TENANTS);
      for (const { tenant } of tenants.filter(({ ready }) => ready > 0))
        for (const cluster of await clustersOf(name, tenant))
          held.set(cluster, { text: late.message, since: late.since });
    }
    await judge(roster.setHeld(held));
  };
  return async ({ hinted, isAll, isDue }: QueuesAsked): Promise<undefined> => {
    await judge(await inParts(hinted.keys, clock, ({ function: name, key }) => troubles.readKey(name, key)));
    if (!isDue) return;
    for (const { spec } of functions) await look(spec.name, isAll);
    await lookForUnserved();
  };
}

/** Gathers hints; the same Cluster or key is named once. */
function createPendingHints(): PendingHints {
  let clusters = new Set<string>();
  let keys = new Map<string, { readonly function: string; readonly key: Key }>();
  let isBusy = false;
  let isGap = false;
  const add = (hint: Hint): void => {
    if (hint.of === "keys") {
      for (const key of hint.keys) keys.set(`${hint.function} ${key}`, { function: hint.function, key });
    } else if (hint.of === "snapshot" && isOfCluster(hint.type)) clusters.add(workloadCluster(hint.key));
  };
  return {
    note: (hints) => {
      for (const hint of hints) add(hint);
      if (keys.size > MAX_PENDING) [keys, isBusy] = [new Map(), true];
      if (clusters.size > MAX_PENDING) [clusters, isGap] = [new Set(), true];
    },
    gap: () => {
      isGap = true;
    },
    take: () => {
      const taken = { clusters, keys: [...keys.values()], isBusy, isGap };
      [clusters, keys, isBusy, isGap] = [new Set(), new Map(), false, false];
      return taken;
    },
  };
}

function isOfCluster({ cluster, group, kind }: TypeKey): boolean {
  return (
    cluster === MANAGEMENT && [Cluster, Connection].some((one) => one.group === group && one.kind === kind)
  );
}

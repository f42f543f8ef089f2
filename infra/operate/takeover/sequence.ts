import type { ObjectKey } from "../../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { rest } from "../../platform/rest.ts";
import type { Core } from "./core.ts";
import { allMembers, clusterOf, type Member, writesOf } from "./families.ts";
import { lowerFence, raiseFence } from "./fence.ts";
import {
  type Direction,
  giveClusters,
  type Hands,
  pauseClusters,
  type Side,
  untilTaken,
} from "./hand-over.ts";
import { parkLease, releaseLease } from "./turn.ts";

/** The Clusters that change hands, and the way. */
interface Plan {
  readonly core: Core;
  readonly clusters: readonly ObjectKey[];
  /** All at once, while no manager of Cluster API leads. */
  readonly parkLease: boolean;
}

/** One line for each step that is done. */
export interface Step {
  /** `<namespace>/<name>`; absent where a step is about all. */
  readonly cluster?: string | undefined;
  readonly did: string;
}

/** A Cluster that has changed hands. */
export interface Moved {
  readonly cluster: string;
  readonly objects: number;
  /** The time from the first pause until the other controller worked on all of it. */
  readonly pausedMs: number;
}

export interface Sequence extends Plan {
  readonly hands: Hands;
  readonly note: (step: Step) => void;
  /** Resolves when Capstan runs nothing for these objects, and will not by itself. */
  readonly untilIdle: (members: readonly Member[]) => Promise<void>;
}

const QUIET_MS = 30 * SECOND;
const WITHIN_MS = 300 * SECOND;
const LOOK_MS = 2 * SECOND;

/** Gives Clusters of Cluster API's manager to Capstan. Continues where an earlier run has ended. */
export async function start(sequence: Sequence): Promise<readonly Moved[]> {
  const { core, hands, note } = sequence;
  const direction = toCapstan(core, hands);
  const [cluster] = sequence.clusters;
  if (cluster === undefined) return [];
  await raiseFence(hands, { core, cluster });
  note({ did: "The API server refuses what Cluster API's manager writes to objects of Capstan" });
  if (!sequence.parkLease) return oneByOne(sequence, direction, async () => undefined);
  return allAtOnce(sequence, direction, {
    // A manager that does not lead any more pauses nothing.
    pauses: core.lease?.parked !== true,
    async between() {
      await parkLease(hands.client, core.leaseKey, hands.clock);
      note({
        did: `Lease ${core.leaseKey.namespace}/${core.leaseKey.name} parked; its manager restarts as a standby`,
      });
      await untilQuiet(hands, core.managers);
      note({ did: "Cluster API's manager has written nothing for 30 s" });
    },
  });
}

/**
 * Waits until these field managers have written to no object for 30 s, by the clock of this process. Throws when one of
 * them still writes after five minutes: a manager leads that does not know the Lease.
 */
async function untilQuiet({ client, clock }: Hands, managers: ReadonlySet<string>): Promise<void> {
  const startedAt = clock.now().getTime();
  let [seen, changedAt] = ["", startedAt];
  while (clock.now().getTime() - changedAt < QUIET_MS) {
    const writes = (await allMembers(client)).flatMap(({ object }) => writesOf(object, managers)).join("\n");
    if (writes !== seen) [seen, changedAt] = [writes, clock.now().getTime()];
    if (clock.now().getTime() - startedAt > WITHIN_MS) {
      const names = [...managers].join(", ");
      throw new Error(
        `a field manager of Cluster API (${names}) still writes; end its process, and start again`,
      );
    }
    await rest(LOOK_MS, clock);
  }
}

/** Gives Clusters of Capstan back to Cluster API's manager. Continues where an earlier run has ended. */
export async function back(sequence: Sequence): Promise<readonly Moved[]> {
  const { core, hands, note, untilIdle } = sequence;
  const { namespace, name } = core.leaseKey;
  const direction = toCore(hands);
  const after = async () => {
    await releaseLease(hands.client, core.leaseKey, hands.clock);
    note({ did: `Lease ${namespace}/${name} is free; a manager leads within 2 s` });
  };
  const moved = sequence.parkLease
    ? await allAtOnce(sequence, direction, { pauses: true, between: untilIdle, after })
    : await oneByOne(sequence, direction, untilIdle);
  await lowerFence(hands);
  return moved;
}

/**
 * It looks at a health check every 15 s only, so nothing waits for its answer there: while it has the objects its word
 * counts, and later the API server refuses what it writes to Machines and health checks of Capstan.
 * Source: Cluster API v1.14.0, core/reconcilers/machinehealthcheck (WithRateLimitInterval)
 */
const CORE: Side = {
  name: "Cluster API's manager",
  isAwaited: ({ kind }) => kind.kind !== MachineHealthCheck.kind,
};

const CAPSTAN: Side = { name: "Capstan", isAwaited: () => true };

function toCapstan({ managers }: Core, { filters }: Hands): Direction {
  return {
    leaves: ["core", "leaving-core"],
    stays: "leaving-capstan",
    label: filters.capstan,
    isGone: (manager) => managers.has(manager),
    giver: CORE,
    taker: CAPSTAN,
  };
}

function toCore({ filters }: Hands): Direction {
  return {
    leaves: ["capstan", "leaving-capstan"],
    stays: "leaving-core",
    label: filters.core,
    isGone: (manager) => manager.startsWith("capstan-"),
    giver: CAPSTAN,
    taker: CORE,
  };
}

/** The next Cluster begins when the one before is at work again: a mistake in the set-up costs one Cluster. */
async function oneByOne(
  { clusters, hands, note }: Sequence,
  direction: Direction,
  settled: (members: readonly Member[]) => Promise<void>,
): Promise<readonly Moved[]> {
  const moved: Moved[] = [];
  for (const key of clusters) {
    const cluster = `${key.namespace}/${key.name}`;
    const startedAt = hands.clock.now().getTime();
    const members = await pauseClusters(hands, [key], direction);
    note({ cluster, did: `${members.length} objects paused` });
    await settled(members);
    const { length: objects } = await giveClusters(hands, [key], direction);
    note({ cluster, did: `${objects} objects given to ${direction.taker.name}` });
    await untilTaken(hands, [key], {
      direction,
      async giveMore() {
        await settled(await pauseClusters(hands, [key], direction));
        await giveClusters(hands, [key], direction);
      },
    });
    const pausedMs = hands.clock.now().getTime() - startedAt;
    note({
      cluster,
      did: `${direction.taker.name} works on it, ${secondsOf(pausedMs)} after the first pause`,
    });
    moved.push({ cluster, objects, pausedMs });
  }
  return moved;
}

interface Together {
  readonly pauses: boolean;
  readonly between: (members: readonly Member[]) => Promise<void>;
  readonly after?: () => Promise<void>;
}

/** All Clusters are paused, then all are given. */
async function allAtOnce(
  { clusters, hands, note }: Sequence,
  direction: Direction,
  { pauses, between, after }: Together,
): Promise<readonly Moved[]> {
  const startedAt = hands.clock.now().getTime();
  const paused = pauses ? await pauseClusters(hands, clusters, direction) : [];
  note({ did: `${paused.length} objects of ${clusters.length} Clusters paused` });
  await between(paused);
  const given = await giveClusters(hands, clusters, direction);
  await after?.();
  note({ did: `${clusters.length} Clusters given to ${direction.taker.name}` });
  await untilTaken(hands, clusters, {
    direction,
    async giveMore() {
      // No manager of Cluster API leads, and answers.
      if (direction.giver === CAPSTAN) await between(await pauseClusters(hands, clusters, direction));
      await giveClusters(hands, clusters, direction);
    },
  });
  const pausedMs = hands.clock.now().getTime() - startedAt;
  note({ did: `${direction.taker.name} works on all of them, ${secondsOf(pausedMs)} after the first pause` });
  const objects = Map.groupBy(given, clusterOf);
  return clusters.map(({ namespace, name }) => {
    const cluster = `${namespace}/${name}`;
    return { cluster, objects: objects.get(cluster)?.length ?? 0, pausedMs };
  });
}

function secondsOf(ms: number): string {
  return `${(ms / SECOND).toFixed(1)} s`;
}

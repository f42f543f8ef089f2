import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import { type KubeObject, type ObjectKey, objectKeyOf, workloadCluster } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { objectTree } from "../../operate/explain/object-tree.ts";
import { createOrphans, type Orphan } from "../../operate/explain/orphans.ts";
import type { Problem } from "../../operate/explain/problem.ts";
import { problemsOf } from "../../operate/explain/problems.ts";
import { createTimeSlices } from "../../platform/kube/list-bounds.ts";
import { type ClusterFacts, clusterFacts, isWell } from "./cluster-facts.ts";
import type { Roster } from "./roster.ts";
import type { Troubles } from "./troubles.ts";

export interface SnapshotSources {
  readonly store: Pick<Store, "get" | "list" | "find" | "each" | "progress" | "signs">;
  readonly clock: Clock;
  readonly functions: readonly AnyFunction[];
  readonly roster: Roster;
  readonly troubles: Pick<Troubles, "of">;
}

/** Reads all Clusters, or those that are named; returns why what was read may not be all. */
export type ReadSnapshots = (names: "all" | ReadonlySet<string>) => Promise<string | undefined>;

const CLUSTERS = managementType(Cluster);
const CONNECTIONS = managementType(Connection);

/** The most unhealthy Clusters whose objects are looked at when all are read, the rest when they change. */
const MAX_LOOKS = 500;

/** Holds few objects at a time, however many there are, and lets others have their turns. */
export function createSnapshotReader({
  store,
  clock,
  functions,
  roster,
  troubles,
}: SnapshotSources): ReadSnapshots {
  const orphans = createOrphans(store, functions);
  /** A Cluster that is well has none: its objects are not read. */
  const firstProblem = async (cluster: KubeObject, facts: ClusterFacts): Promise<Problem | undefined> => {
    const found = troubles.of(workloadCluster(objectKeyOf(cluster)));
    if (found === undefined && isWell(facts)) return undefined;
    const tree = await objectTree(store, functions, { kind: Cluster, object: cluster });
    const [first] = await problemsOf(store, tree, { now: clock.now(), troubles: found?.worst ?? [] });
    return first && shortened(first);
  };
  let looks = 0;
  const take = async (cluster: KubeObject, isAlone = true): Promise<void> => {
    const connection = await store.get(CONNECTIONS, objectKeyOf(cluster));
    const facts = clusterFacts(cluster as Cluster, connection as Connection | undefined, clock.now());
    if (!isWell(facts)) looks += 1;
    roster.set(facts, isAlone || looks <= MAX_LOOKS ? await firstProblem(cluster, facts) : undefined);
  };
  const readAll = async (): Promise<void> => {
    looks = 0;
    const gone = new Set(roster.names());
    const known = new Set<string>();
    await inParts(store.each(CLUSTERS), clock, async (cluster) => {
      known.add(workloadCluster(objectKeyOf(cluster)));
      await take(cluster, false);
    });
    for (const orphan of await orphans.all(known)) {
      known.add(workloadCluster(orphan.cluster));
      roster.set(factsOfOrphan(orphan), shortened(orphan.problem));
    }
    for (const name of gone) if (!known.has(name)) roster.delete(name);
  };
  const readOne = async (name: string): Promise<void> => {
    const cluster = await store.get(CLUSTERS, keyOf(name));
    const orphan = cluster === undefined ? await orphans.of(keyOf(name)) : undefined;
    if (cluster !== undefined) await take(cluster);
    else if (orphan !== undefined) roster.set(factsOfOrphan(orphan), shortened(orphan.problem));
    else roster.delete(name);
  };
  return async (names) => {
    if (names === "all") await readAll();
    else await inParts(names, clock, readOne);
    const { ready, refusal } = await store.progress(CLUSTERS);
    return ready ? undefined : (refusal ?? "the relay has not listed all of them yet");
  };
}

function keyOf(name: string): ObjectKey {
  const [namespace = "", ...rest] = name.split("/");
  return { namespace, name: rest.join("/") };
}

/** Nothing is known of it but its name. */
function factsOfOrphan({ cluster }: Orphan): ClusterFacts {
  return { ...cluster, machines: { desired: 0, ready: 0 }, available: "silent" };
}

const MAX_CAUSE_CHARS = 1_000;
const MAX_NEXT_CHARS = 500;

function shortened(problem: Problem): Problem {
  const { cause, next } = problem;
  return { ...problem, cause: cause.slice(0, MAX_CAUSE_CHARS), next: next.slice(0, MAX_NEXT_CHARS) };
}

/** The number of reads at once: enough for a store that is reached over a network. */
const AT_ONCE = 50;

/** Maps items, 50 at once, and lets others have their turns between them. */
export async function inParts<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  clock: Clock,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const turn = createTimeSlices(clock);
  const results: Result[] = [];
  let part: Item[] = [];
  const finish = async (): Promise<void> => {
    results.push(...(await Promise.all(part.map(work))));
    part = [];
    await turn();
  };
  for await (const item of items) {
    part.push(item);
    if (part.length === AT_ONCE) await finish();
  }
  await finish();
  return results;
}

import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { clusterKeyOf, objectTree } from "../../operate/explain/object-tree.ts";
import { lanesOf, timeLine } from "../../operate/explain/time-line.ts";
import type { ReadRuns } from "../ports.ts";

export interface RunsSourceOptions {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  readonly runs: Pick<RunHistory, "runs">;
}

/**
 * Reads the runs of an object. The chain of their causes leads through all objects of its Cluster, so the history of
 * these is read, of up to 1,000 functions and keys.
 */
export function createRunsSource({ store, functions, runs }: RunsSourceOptions): ReadRuns {
  return async (kind, key, { isAll, ...selection }) => {
    const object = await store.get(managementType(kind), key);
    if (object === undefined) return undefined;
    const at = clusterKeyOf(kind, object);
    const cluster = at && (await store.get(managementType(Cluster), at));
    const root = cluster === undefined ? { kind, object } : { kind: CLUSTER, object: cluster };
    const own = lanesOf(functions, { kind, key, object, children: [], more: [] });
    const keys = new Set(own.map((lane) => lane.key));
    const all = lanesOf(functions, await objectTree(store, functions, root));
    const lanes = [...own, ...all.filter((lane) => !keys.has(lane.key))];
    return timeLine(runs, lanes, { ...selection, of: isAll ? undefined : keys });
  };
}

const CLUSTER = Cluster as unknown as Kind;

import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Kind, type KubeObject, MANAGEMENT, type ObjectKey } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { RunHistory } from "../../../shared/runtime/run-history.ts";
import { clusterNamed, objectTree } from "../../explain/object-tree.ts";
import { lanesOf, timeLine } from "../../explain/time-line.ts";
import type { ReadRuns } from "../ports.ts";

export interface RunsSourceOptions {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  readonly runs: Pick<RunHistory, "runs">;
}

/**
 * Reads the runs of an object. The chain of their causes leads through all objects of its Cluster, so the history of
 * these is read, of up to 1,000 functions and keys. Source: W-103
 */
export function createRunsSource({ store, functions, runs }: RunsSourceOptions): ReadRuns {
  const held = (kind: Kind, key: ObjectKey): Promise<KubeObject | undefined> =>
    store.get({ cluster: MANAGEMENT, group: kind.group, kind: kind.kind }, key);
  return async (kind, key, { isAll, ...selection }) => {
    const object = await held(kind, key);
    if (object === undefined) return undefined;
    const name = clusterNamed(kind, object)?.split("/")[1];
    const cluster = name === undefined ? undefined : await held(CLUSTER, { ...key, name });
    const root = cluster === undefined ? { kind, object } : { kind: CLUSTER, object: cluster };
    const own = lanesOf(functions, { kind, key, object, children: [], more: [] });
    const all = lanesOf(functions, await objectTree(store, functions, root));
    const of = isAll ? undefined : new Set(own.map((lane) => lane.key));
    return timeLine(
      runs,
      [...new Map([...own, ...all].map((lane) => [`${lane.function} ${lane.key}`, lane])).values()],
      { ...selection, of },
    );
  };
}

const CLUSTER = Cluster as unknown as Kind;

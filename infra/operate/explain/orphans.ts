import { type KubeObject, type ObjectKey, titleOf, workloadCluster } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { clusterKeyOf, type Snapshots, shownKinds } from "./object-tree.ts";
import type { Problem } from "./problem.ts";
import { missingCluster } from "./problems.ts";

/** A Cluster that objects name and that does not exist. */
export interface Orphan {
  readonly cluster: ObjectKey;
  readonly problem: Problem;
}

export interface Orphans {
  /** Returns all but those that are known to exist; at most 100. */
  all(known: ReadonlySet<string>): Promise<readonly Orphan[]>;
  /** Returns the orphan; undefined: nothing names it. */
  of(cluster: ObjectKey): Promise<Orphan | undefined>;
}

const MAX_ORPHANS = 100;

/**
 * Finds Clusters that objects of users name and that do not exist: no Cluster shows what is wrong with such an object.
 * Machines are left out: they go and come with what makes them.
 */
export function createOrphans(
  store: Snapshots & Pick<Store, "each">,
  functions: readonly AnyFunction[],
): Orphans {
  const kinds = shownKinds(functions).filter(
    ({ kind, clusterNamePath }) => !["Cluster", "Machine"].includes(kind) && clusterNamePath !== undefined,
  );
  const orphanOf = async (cluster: ObjectKey, named: string): Promise<Orphan | undefined> => {
    const [found] = await missingCluster(store, named, cluster);
    if (found === undefined) return undefined;
    const { id: _, ...problem } = found;
    return { cluster, problem: { ...problem, consequences: 0 } };
  };
  return {
    of: async (cluster) => {
      const index = { name: "cluster", values: [workloadCluster(cluster)] };
      for (const kind of kinds) {
        const found = await store.list(managementType(kind), { namespace: cluster.namespace, index });
        const first = found.find(isLiving);
        if (first !== undefined) return orphanOf(cluster, titleOf(kind.kind, first.metadata));
      }
      return undefined;
    },
    all: async (known) => {
      const named = new Map<string, readonly [ObjectKey, string]>();
      for (const kind of kinds) {
        for await (const object of store.each(managementType(kind))) {
          const key = clusterKeyOf(kind, object);
          if (key === undefined || known.has(workloadCluster(key)) || !isLiving(object)) continue;
          if (named.size < MAX_ORPHANS)
            named.set(workloadCluster(key), [key, titleOf(kind.kind, object.metadata)]);
        }
      }
      const found = await Promise.all([...named.values()].map(([key, title]) => orphanOf(key, title)));
      return found.filter((orphan) => orphan !== undefined);
    },
  };
}

function isLiving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

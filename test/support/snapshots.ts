import type { Selection } from "../../shared/api/indexes.ts";
import {
  type ClusterName,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
} from "../../shared/api/kinds.ts";
import type { Reader } from "../../shared/function/reads.ts";
import { storeOf, type World } from "./world.ts";

/** Returns a reader of the snapshots of a world, for tests of rules: it shows every field of every kind. */
export function snapshotsOf(world: World): Pick<Reader, "get" | "list"> {
  const store = storeOf(world);
  return {
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) {
      return (await store.get({ cluster, ...kind }, key)) as T | undefined;
    },
    async list<T extends KubeObject>(kind: Kind<T>, selection: Selection, cluster: ClusterName = MANAGEMENT) {
      return (await store.list({ cluster, ...kind }, selection)) as readonly KubeObject[] as readonly T[];
    },
  };
}

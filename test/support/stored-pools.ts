import { tenantOf } from "../../shared/api/indexes.ts";
import { groupOf, type Kind, type KubeObject, MANAGEMENT, objectKeyOf } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import type { Store } from "../../shared/runtime/ports.ts";
import { formatKey, type Key } from "../../shared/runtime/queue/key.ts";
import { cluster, connection, machinePool, node } from "./builders.ts";

/** Stores objects of one server, of types that are then complete. */
async function storeObjects(store: Store, home: string, ...objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const type = { cluster: home, group: groupOf(object.apiVersion), kind: object.kind };
    await store.put(type, [object]);
    await store.advance(type, { ready: true, resourceVersion: "100" });
  }
}

/** Stores a connected Cluster with so many pools of one unmarked Node each. Gives the keys of the pools. */
export async function storePools(store: Store, clusterName: string, pools: number): Promise<readonly Key[]> {
  const metadata = { name: clusterName, uid: `uid-${clusterName}` };
  await storeObjects(store, MANAGEMENT, cluster({ metadata }), connection({ metadata }));
  const group = "cluster.x-k8s.io";
  await store.advance({ cluster: MANAGEMENT, group, kind: "Machine" }, { ready: true, resourceVersion: "1" });
  const keys: Key[] = [];
  for (let n = 0; n < pools; n += 1) {
    const providerID = `foo://${clusterName}-${n}`;
    const pool = machinePool({
      metadata: {
        name: `${clusterName}-p${n}`,
        uid: `uid-${clusterName}-p${n}`,
        labels: { "cluster.x-k8s.io/cluster-name": clusterName },
      },
      spec: { clusterName, providerIDList: [providerID] },
    });
    await storeObjects(store, MANAGEMENT, pool);
    await storeObjects(store, `default/${clusterName}`, node(`n${n}`, { spec: { providerID } }));
    const tenant = tenantOf(MachinePool as Kind, pool);
    keys.push(formatKey({ ...objectKeyOf(pool), kind: pool.kind, tenant }));
  }
  return keys;
}

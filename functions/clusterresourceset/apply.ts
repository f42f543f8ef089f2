import {
  Cluster,
  ClusterResourceSet,
  ClusterResourceSetBinding,
  ConfigMap,
  Connection,
  objectKeyOf,
  ResourceSecret,
} from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  inNamespace,
  inNamespaceNaming,
  itself,
  living,
  PAUSE_FIELDS,
  sameName,
  unpaused,
  waitFor,
  watch,
} from "../../shared/function/define-function.ts";
import { BINDING_FIELDS, resourcesIn } from "./rules/binding.ts";
import { conclusion } from "./rules/conclusion.ts";
import { type Due, RESOURCE_KINDS, readDue } from "./rules/due.ts";
import { readSetsFor, SELECTED_FIELDS, SET_FIELDS } from "./rules/selection.ts";

export const clusterresourcesetApply = defineFunction(
  {
    name: "clusterresourceset-apply",
    summary:
      "Brings the resources of all ClusterResourceSets that select a Cluster into its workload cluster.",
    source: "core/reconcilers/clusterresourceset/clusterresourceset_controller.go",
    reconciles: Cluster,
    actsOn: "living",
    // Differs: a paused Cluster is left alone as well.
    when: [living, unpaused],
    watches: [
      watch(Cluster, SELECTED_FIELDS, itself),
      watch(Connection, ["status.state"], sameName),
      watch(ClusterResourceSet, [...SET_FIELDS, ...PAUSE_FIELDS], inNamespace),
      // Its own writes there do not wake it; the end of a binding does, which is then recreated.
      watch(ClusterResourceSetBinding, ["metadata.uid"], sameName),
      watch(ResourceSecret, ["metadata.uid", "metadata.resourceVersion"], inNamespaceNaming),
      watch(ConfigMap, ["metadata.uid", "metadata.resourceVersion"], inNamespaceNaming),
    ],
    reads: [{ on: ClusterResourceSetBinding, fields: BINDING_FIELDS }],
    ownsOn: [{ kind: ClusterResourceSetBinding, fields: BINDING_FIELDS }],
    calls: [{ verb: "create", kind: ClusterResourceSetBinding }],
    delivers: Object.values(RESOURCE_KINDS),
    queue: { concurrency: 8, maxRunningPerTenant: 2, settleMs: 50 },
  },
  async (cluster, { read, now }) => {
    const sets = await readSetsFor(read, cluster);
    if (sets.length === 0) return { result: done };
    const key = objectKeyOf(cluster);
    const connection = await read.get(Connection, key);
    if (connection?.status.state !== "connected") return { result: waitFor("Connection.status.state") };

    const binding = await read.get(ClusterResourceSetBinding, key);
    const dues: Due[] = [];
    for (const set of sets)
      dues.push(await readDue(read, cluster, { set, entries: resourcesIn(binding, set) }));
    const scene = { cluster, binding, dues, now };
    const deliveries = dues.flatMap((due) => due.deliveries.map(({ delivery }) => delivery));
    if (deliveries.length === 0) return conclusion(scene, []);
    return {
      deliver: { of: deliveries, answered: (answers) => conclusion(scene, answers) },
      result: waitFor("Connection.status.state"),
    };
  },
);

import { Cluster, ClusterResourceSetBinding, refTo } from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  isDeleting,
  isLetGo,
  itself,
  sameName,
  turn,
  waitFor,
  watch,
} from "../../shared/function/define-function.ts";
import { OWNER_FIELDS } from "../../shared/rules/entry.ts";
import { clusterNameIn, isReleased, ownClusterPatch } from "./rules/release.ts";

export const clusterresourcesetBinding = defineFunction(
  {
    name: "clusterresourceset-binding",
    summary: "Deletes the ClusterResourceSetBinding of a Cluster that is gone or going.",
    source: "core/reconcilers/clusterresourcesetbinding/clusterresourcesetbinding_controller.go",
    reconciles: ClusterResourceSetBinding,
    actsOn: "living",
    watches: [
      watch(ClusterResourceSetBinding, ["metadata.uid", ...OWNER_FIELDS, "spec.clusterName"], itself),
      watch(
        Cluster,
        [
          "metadata.uid",
          "metadata.deletionTimestamp",
          "metadata.annotations[runtime.cluster.x-k8s.io/ok-to-delete]",
        ],
        sameName,
      ),
    ],
    reads: [{ on: Cluster, fields: ["spec.topology"] }],
    ownsOn: [{ kind: ClusterResourceSetBinding, fields: ["spec.clusterName", ...OWNER_FIELDS] }],
    inTurnWith: [
      turn(
        ["clusterresourceset-apply", "clusterresourceset-delete"],
        ClusterResourceSetBinding,
        "metadata.ownerReferences",
        "it removes the owner reference to the Cluster, of old, and the others those to sets, each by the version that was read",
      ),
      turn(
        "clusterresourceset-apply",
        ClusterResourceSetBinding,
        "spec",
        "it names the Cluster in a binding of old, each by the version that was read",
      ),
    ],
    calls: [{ verb: "delete", kind: ClusterResourceSetBinding }],
  },
  async (binding, { read }) => {
    if (isDeleting(binding) || isLetGo(binding)) return { result: done };
    const operations = ownClusterPatch(binding);
    if (operations.length > 0)
      return { patch: [{ target: refTo(ClusterResourceSetBinding, binding), operations }], result: done };

    const { namespace = "", name } = binding.metadata;
    const key = { namespace, name: clusterNameIn(binding) ?? name };
    if (!isReleased(await read.get(Cluster, key))) return { result: done };
    const cluster = await read.live.get(Cluster, key);
    if (!isReleased(cluster)) return { result: waitFor("Cluster.metadata.uid") };
    const found = await read.live.get(ClusterResourceSetBinding, { namespace, name });
    if (found === undefined || found.metadata.uid !== binding.metadata.uid) return { result: done };
    return { delete: [{ target: refTo(ClusterResourceSetBinding, found) }], result: done };
  },
);

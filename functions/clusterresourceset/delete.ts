import { ClusterResourceSet, ClusterResourceSetBinding, objectKeyOf, refTo } from "../../shared/api/entry.ts";
import {
  defineFunction,
  deleting,
  done,
  itself,
  setsOfBinding,
  turn,
  watch,
} from "../../shared/function/define-function.ts";
import { removeFinalizerPatch } from "../../shared/rules/entry.ts";
import { BINDING_FIELDS } from "./rules/binding.ts";
import { isBoundTo, withoutSet } from "./rules/deletion.ts";
import { RESOURCE_SET_FINALIZER, unpausedSet } from "./rules/guard.ts";

export const clusterresourcesetDelete = defineFunction(
  {
    name: "clusterresourceset-delete",
    summary: "Takes a deleted ClusterResourceSet out of all bindings, then lets it go.",
    source: "core/reconcilers/clusterresourceset/clusterresourceset_controller.go",
    reconciles: ClusterResourceSet,
    actsOn: "deleting",
    when: [deleting, unpausedSet],
    watches: [
      watch(ClusterResourceSet, ["metadata.uid", "metadata.finalizers"], itself),
      watch(ClusterResourceSetBinding, ["metadata.uid", "spec"], setsOfBinding),
    ],
    releases: RESOURCE_SET_FINALIZER,
    reads: [{ on: ClusterResourceSetBinding, fields: BINDING_FIELDS }],
    ownsOn: [{ kind: ClusterResourceSetBinding, fields: ["spec.bindings", "metadata.ownerReferences"] }],
    inTurnWith: [
      turn(
        "clusterresourceset-apply",
        ClusterResourceSetBinding,
        ["spec", "metadata.ownerReferences"],
        "clusterresourceset-apply writes entries of sets that live, and each tests the version that it has read",
      ),
    ],
    calls: [{ verb: "delete", kind: ClusterResourceSetBinding }],
  },
  async (snapshot, { read }) => {
    const set = await read.live.get(ClusterResourceSet, objectKeyOf(snapshot));
    if (set === undefined || set.metadata.uid !== snapshot.metadata.uid) return { result: done };
    const { namespace } = objectKeyOf(set);
    // Differs: also bindings of Clusters that it selects no longer, and all of them: upstream ends at the first gap.
    const bindings = await read.live.list(ClusterResourceSetBinding, { namespace });
    const changes = bindings
      .filter((binding) => isBoundTo(binding, set))
      .map((each) => withoutSet(each, set));
    const own = {
      target: refTo(ClusterResourceSet, set),
      operations: removeFinalizerPatch(set, RESOURCE_SET_FINALIZER),
    };
    return {
      patch: [...changes.flatMap(({ patch }) => patch ?? []), own],
      delete: changes.flatMap((change) => change.delete ?? []),
      result: done,
    };
  },
);

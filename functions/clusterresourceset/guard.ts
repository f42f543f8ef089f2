import {
  ClusterResourceSet,
  ConfigMap,
  objectKeyOf,
  ResourceSecret,
  refTo,
  Secret,
} from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  FINALIZER_FIELDS,
  type GuardedPatch,
  isPaused,
  itself,
  MINUTE,
  PAUSE_FIELDS,
  requeueAfter,
  setsNaming,
  watch,
} from "../../shared/function/define-function.ts";
import { OWNER_FIELDS, ownerReference, ownerReferencePatch } from "../../shared/rules/entry.ts";
import { addFinalizerPatch } from "../../shared/rules/metadata/finalizers.ts";
import { RESOURCE_SET_FINALIZER } from "./rules/guard.ts";
import { readResource } from "./rules/resources.ts";

export const clusterresourcesetGuard = defineFunction(
  {
    name: "clusterresourceset-guard",
    summary:
      "Makes a ClusterResourceSet safe to work on, and the owner of the Secrets and ConfigMaps that it names.",
    source: "core/reconcilers/clusterresourceset/clusterresourceset_controller.go",
    reconciles: ClusterResourceSet,
    actsOn: "living",
    settles: true,
    watches: [
      watch(
        ClusterResourceSet,
        ["metadata.uid", ...FINALIZER_FIELDS, ...PAUSE_FIELDS, "spec.resources"],
        itself,
      ),
      watch(ResourceSecret, ["metadata.uid", ...OWNER_FIELDS], setsNaming),
      watch(ConfigMap, ["metadata.uid", ...OWNER_FIELDS], setsNaming),
    ],
    readsLive: [Secret],
    ownsOn: [
      { kind: ClusterResourceSet, fields: ["metadata.finalizers"] },
      { kind: Secret, fields: OWNER_FIELDS },
      { kind: ConfigMap, fields: OWNER_FIELDS },
    ],
  },
  async (set, { read }) => {
    const operations = addFinalizerPatch(set, RESOURCE_SET_FINALIZER);
    const own = { target: refTo(ClusterResourceSet, set), operations };
    if (isPaused(undefined, set)) return { patch: [own], result: done };

    const { namespace } = objectKeyOf(set);
    const owner = ownerReference(ClusterResourceSet, set);
    const patches: GuardedPatch[] = [];
    let isMissing = false;
    for (const { kind, name } of set.spec.resources) {
      const found = await readResource(read.live, kind, { namespace, name });
      if (found === "foreign") continue;
      isMissing ||= found === undefined && kind === "Secret";
      if (found !== undefined)
        patches.push({ target: found.target, operations: ownerReferencePatch(found.object, owner) });
    }
    const result = isMissing ? requeueAfter(MINUTE, "a Secret, which not every relay may watch") : done;
    return { patch: [own, ...patches], result };
  },
);

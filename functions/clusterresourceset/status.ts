import type { ClusterResourceSetStatus } from "../../shared/api/clusterresourceset.ts";
import {
  Cluster,
  ClusterResourceSet,
  ClusterResourceSetBinding,
  Connection,
} from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  guarded,
  inNamespace,
  itself,
  PAUSING_FIELDS,
  setsOfBinding,
  watch,
} from "../../shared/function/define-function.ts";
import { pausedStatus } from "../../shared/rules/status/paused-status.ts";
import { BINDING_FIELDS } from "./rules/binding.ts";
import { RESOURCE_SET_FINALIZER, unpausedSet } from "./rules/guard.ts";
import { SELECTED_FIELDS } from "./rules/selection.ts";
import { setStatus } from "./rules/status.ts";
import { readView } from "./rules/view.ts";

export const clusterresourcesetStatus = defineFunction(
  {
    name: "clusterresourceset-status",
    summary: "Says to which Clusters the resources of a ClusterResourceSet are applied, and what is missing.",
    source: "core/reconcilers/clusterresourceset/clusterresourceset_controller.go",
    reconciles: ClusterResourceSet,
    when: [guarded(RESOURCE_SET_FINALIZER), unpausedSet],
    whilePaused: (set, { now }) => ({
      apply: { status: pausedStatus<ClusterResourceSetStatus>(set, undefined, now) },
    }),
    settles: true,
    watches: [
      watch(ClusterResourceSet, ["metadata.uid", "metadata.generation", "spec", "status"], itself),
      watch(ClusterResourceSetBinding, ["metadata.uid", ...BINDING_FIELDS], setsOfBinding),
      watch(Cluster, [...SELECTED_FIELDS, ...PAUSING_FIELDS, "metadata.deletionTimestamp"], inNamespace),
      watch(Connection, ["status.state"], inNamespace),
    ],
    owns: ["status"],
    queue: { settleMs: 100, minIntervalMs: 200 },
  },
  async (set, { read, now }) => ({
    apply: { status: setStatus(await readView({ read, now }, set)) },
    result: done,
  }),
);

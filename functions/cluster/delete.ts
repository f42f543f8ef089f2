import { Cluster, refTo } from "../../shared/api/entry.ts";
import { ControlPlane, InfraCluster } from "../../shared/contract/entry.ts";
import {
  clusterOf,
  type Decision,
  defineFunction,
  deleting,
  done,
  itself,
  type Notice,
  type Reader,
  unpaused,
  waitFor,
  watch,
  watchReferenced,
} from "../../shared/function/define-function.ts";
import { readTopologyRuns } from "../../shared/rules/coexistence/topology.ts";
import { removeFinalizerPatch } from "../../shared/rules/entry.ts";
import {
  COMPLETED,
  clusterDeletion,
  type DeletionStage,
  HOOK_FIELDS,
  hookStage,
  providerStage,
  runsItsCourse,
  workersStage,
} from "./rules/deletion.ts";
import { DESCENDANT_FIELDS, DESCENDANTS, IN_DELETE_ORDER } from "./rules/descendants.ts";
import { CLUSTER_FINALIZER } from "./rules/guard.ts";
import { type ProviderRole, referenceOf } from "./rules/providers.ts";
import {
  readDescendants,
  readDescendantsLive,
  readProvidersToDelete,
  readProviderToDelete,
} from "./rules/reads.ts";

export const clusterDelete = defineFunction(
  {
    name: "cluster-delete",
    summary: "Deletes workers, control plane and infrastructure of a deleted Cluster, then its finalizer.",
    source: "core/reconcilers/cluster/cluster_controller.go",
    reconciles: Cluster,
    actsOn: "deleting",
    when: [deleting, unpaused],
    watches: [
      watch(Cluster, HOOK_FIELDS, itself),
      IN_DELETE_ORDER.map(({ kind }) => watch(kind, DESCENDANT_FIELDS, clusterOf)),
      watchReferenced([InfraCluster, []], [ControlPlane, []]),
    ],
    releases: CLUSTER_FINALIZER,
    calls: [...DESCENDANTS.map((of) => of.kind), ControlPlane, InfraCluster].map((kind) => ({
      verb: "delete",
      kind,
    })),
    reads: [{ on: Cluster, fields: ["spec.topology"] }],
  },
  async (cluster, { read, live }) => {
    const seen = await seenStage(cluster, read);
    if (runsItsCourse(seen)) return { result: waitFor(seen.awaits) };
    const hook = hookStage(cluster, await readTopologyRuns(read.live, cluster));
    if (hook !== undefined) return { result: waitFor(hook.awaits) };
    const workers = workersStage(cluster, await readDescendantsLive(read, cluster));
    return workers === undefined ? deleteProviders(cluster, read, live) : deleteObjects(workers, live);
  },
);

/** The stage that snapshots show: enough to wait, never enough to delete. */
async function seenStage(cluster: Cluster, read: Reader): Promise<DeletionStage> {
  return clusterDeletion(cluster, await readDescendants(read, cluster), {
    ...(await readProvidersToDelete(read, cluster)),
    topologyRuns: await readTopologyRuns(read, cluster),
  });
}

/** The control plane object must be gone before the infrastructure is touched. */
async function deleteProviders(
  cluster: Cluster,
  read: Reader,
  live: () => Promise<object>,
): Promise<Decision<Cluster, never>> {
  const events: Notice[] = [];
  for (const role of ["controlPlane", "infrastructure"] as const) {
    const found = await readProviderToDelete(read.live, cluster, role);
    const stage = providerStage(cluster, role, found);
    if (stage !== undefined) return { ...(await deleteObjects(stage, live)), events };
    if (found.sharedWith !== undefined) events.push(leftTo(found.sharedWith, cluster, role));
  }
  const operations = removeFinalizerPatch(cluster, CLUSTER_FINALIZER);
  if (operations.length === 0) return { events, result: done };
  return {
    // Tests the version of this snapshot: a pause that it does not show refuses the patch.
    patch: [{ target: refTo(Cluster, cluster), operations }],
    events: [...events, { type: "Normal", reason: "Deleted", message: COMPLETED.message }],
    result: done,
  };
}

/**
 * Deletes only what belongs to this stage; the end of what is deleted brings the key back. A pause can come back, so
 * the Cluster is read live before.
 */
async function deleteObjects(
  { remove, awaits }: DeletionStage,
  live: () => Promise<object>,
): Promise<Decision<Cluster, never>> {
  const result = waitFor(awaits);
  if (remove.length === 0) return { result };
  const seen = await live();
  if ("result" in seen) return seen as Decision<Cluster, never>;
  return {
    delete: remove.map(({ kind, object }) => ({ target: refTo(kind, object) })),
    result,
  };
}

function leftTo(other: Cluster, cluster: Cluster, role: ProviderRole): Notice {
  const reference = referenceOf(cluster, role);
  const message = `${reference?.kind} ${reference?.name} is left to Cluster ${other.metadata.name}, which references it too`;
  return { type: "Normal", reason: "SharedWithAnotherCluster", message };
}

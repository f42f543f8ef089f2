import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { objectKeyOf, refTo } from "../../shared/api/kinds.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraCluster } from "../../shared/contract/infra-cluster.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import {
  type Decision,
  defineFunction,
  type Notice,
  type StepContext,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import { clusterOf, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, requeueAfter, waitFor } from "../../shared/function/result.ts";
import { readTopologyRuns } from "../../shared/rules/coexistence/topology.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { removeFinalizerPatch } from "../../shared/rules/metadata/finalizers.ts";
import { PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { PAUSE_FIELDS, pausedBy } from "../../shared/rules/metadata/paused.ts";
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
import { CLUSTER_FINALIZER } from "./rules/hold.ts";
import { type ProviderRole, referenceOf } from "./rules/providers.ts";
import {
  readDescendants,
  readDescendantsLive,
  readDoomedProvider,
  readDoomedProviders,
} from "./rules/reads.ts";

/** Objects of a version that the relay does not watch are listed this often: their end wakes no key. */
const POLL_MS = 5 * SECOND;

export const clusterDelete = defineFunction<Cluster>(
  {
    name: "cluster-delete",
    summary: "Takes a deleted Cluster apart: workers, control plane, infrastructure, finalizer.",
    source: "core/reconcilers/cluster/cluster_controller.go",
    reconciles: Cluster,
    actsOn: "deleting",
    watches: [
      watch(
        Cluster,
        ["metadata.deletionTimestamp", ...PAUSE_FIELDS, ...PAUSING_FIELDS, ...HOOK_FIELDS],
        itself,
      ),
      ...IN_DELETE_ORDER.map(({ kind }) => watch(kind, DESCENDANT_FIELDS, clusterOf)),
      watchContract(InfraCluster, ["metadata.uid"], referencing),
      watchContract(ControlPlane, ["metadata.uid"], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [{ kind: Cluster, fields: ["metadata.finalizers"] }],
    inTurnWith: [
      {
        function: "cluster-guard",
        on: Cluster,
        field: "metadata.finalizers",
        reason: "the guard adds its finalizer before the deletion, delete removes it at the end of it",
      },
    ],
    calls: [...DESCENDANTS.map((of) => of.kind), ControlPlane, InfraCluster].map((kind) => ({
      verb: "delete",
      kind,
    })),
    reads: [{ on: Cluster, fields: ["spec.topology"] }],
    readsLive: [Cluster, ...DESCENDANTS.map(({ kind }) => kind), ControlPlane, InfraCluster],
  },
  async (cluster, { read }) => {
    if (!isDeleting(cluster)) return { result: done };
    const pause = pausedBy(cluster, cluster);
    if (pause !== undefined) return { result: waitFor(pause) };
    const seen = await seenStage(cluster, read);
    if (runsItsCourse(seen)) return { result: waitFor(seen.awaits) };
    const hook = hookStage(cluster, await readTopologyRuns(read.live, cluster));
    if (hook !== undefined) return { result: waitFor(hook.awaits) };
    const workers = workersStage(cluster, await readDescendantsLive(read, cluster));
    return workers === undefined ? takeProvidersApart(cluster, read) : takeApart(cluster, workers, read);
  },
);

/** The stage that snapshots show: enough to wait, never enough to delete. */
async function seenStage(cluster: Cluster, read: StepContext["read"]): Promise<DeletionStage> {
  return clusterDeletion(cluster, await readDescendants(read, cluster), {
    ...(await readDoomedProviders(read, cluster)),
    topologyRuns: await readTopologyRuns(read, cluster),
  });
}

/** The control plane object must be gone before the infrastructure is touched. */
async function takeProvidersApart(
  cluster: Cluster,
  read: StepContext["read"],
): Promise<Decision<Cluster, never>> {
  const events: Notice[] = [];
  for (const role of ["controlPlane", "infrastructure"] as const) {
    const doomed = await readDoomedProvider(read.live, cluster, role);
    const stage = providerStage(cluster, role, doomed);
    if (stage !== undefined) return { ...(await takeApart(cluster, stage, read)), events };
    if (doomed.sharedWith !== undefined) events.push(leftTo(doomed.sharedWith, cluster, role));
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
 * Only what belongs to this stage; the end of what is deleted brings the key back. A pause can come back, so the Cluster
 * is read live before.
 */
async function takeApart(
  cluster: Cluster,
  { remove, awaits, isPolled }: DeletionStage,
  read: StepContext["read"],
): Promise<Decision<Cluster, never>> {
  const result = isPolled === true ? requeueAfter(POLL_MS, awaits) : waitFor(awaits);
  if (remove.length === 0) return { result };
  const live = await read.live.get(Cluster, objectKeyOf(cluster));
  if (live === undefined || live.metadata.uid !== cluster.metadata.uid) return { result: done };
  const pause = pausedBy(live, live);
  if (pause !== undefined) return { result: waitFor(pause) };
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

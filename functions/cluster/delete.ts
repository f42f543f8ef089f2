import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { objectKeyOf, refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
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
  type DeletionStage,
  HOOK_FIELDS,
  hookStage,
  providerStage,
  workersStage,
} from "./rules/deletion.ts";
import { DESCENDANT_FIELDS, DESCENDANTS, type Descendants } from "./rules/descendants.ts";
import { CLUSTER_FINALIZER } from "./rules/hold.ts";
import { type ProviderRole, referenceOf } from "./rules/providers.ts";
import { readDescendantsLive, readDoomedProvider } from "./rules/reads.ts";

/** Kinds that Capstan does not watch are listed this often; their end wakes no key. */
const POLL_MS = 5 * SECOND;

const UNWATCHED = DESCENDANTS.filter((of) => !of.watched).map((of) => of.kind);

export const clusterDelete = defineFunction<Cluster>(
  {
    name: "cluster-delete",
    summary: "Takes a deleted Cluster apart: workers, control plane, infrastructure, finalizer.",
    source: "CL-8",
    reconciles: Cluster,
    watches: [
      watch(
        Cluster,
        ["metadata.deletionTimestamp", ...PAUSE_FIELDS, ...PAUSING_FIELDS, ...HOOK_FIELDS],
        itself,
      ),
      watch(MachinePool, DESCENDANT_FIELDS, clusterOf),
      watch(Machine, DESCENDANT_FIELDS, clusterOf),
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
    readsLive: [Cluster, MachinePool, Machine, ...UNWATCHED, ControlPlane, InfraCluster],
  },
  async (cluster, { read }) => {
    if (!isDeleting(cluster)) return { result: done };
    const live = await read.live.get(Cluster, objectKeyOf(cluster));
    if (live === undefined || live.metadata.uid !== cluster.metadata.uid) return { result: done };
    const pause = pausedBy(live, live);
    if (pause !== undefined) return { result: waitFor(pause) };
    const hook = hookStage(live, await readTopologyRuns(read.live, live));
    if (hook !== undefined) return takeApart(hook);
    const descendants = await readDescendantsLive(read, live);
    const workers = workersStage(live, descendants);
    return workers === undefined
      ? takeProvidersApart(live, read)
      : { ...takeApart(workers), ...unwatched(live, descendants) };
  },
);

/** The control plane object must be gone before the infrastructure is touched. */
async function takeProvidersApart(
  cluster: Cluster,
  read: StepContext["read"],
): Promise<Decision<Cluster, never>> {
  const events: Notice[] = [];
  for (const role of ["controlPlane", "infrastructure"] as const) {
    const doomed = await readDoomedProvider(read.live, cluster, role);
    const stage = providerStage(cluster, role, doomed);
    if (stage !== undefined) return { ...takeApart(stage), events };
    if (doomed.sharedWith !== undefined) events.push(leftTo(doomed.sharedWith, cluster, role));
  }
  const operations = removeFinalizerPatch(cluster, CLUSTER_FINALIZER);
  if (operations.length === 0) return { events, result: done };
  return {
    patch: [{ target: refTo(Cluster, cluster), operations }],
    events: [...events, { type: "Normal", reason: "Deleted", message: COMPLETED.message }],
    result: done,
  };
}

/** Only what belongs to this stage; the end of what is deleted brings the key back. */
function takeApart({ remove, awaits }: DeletionStage): Decision<Cluster, never> {
  if (remove.length === 0) return { result: waitFor(awaits) };
  return {
    delete: remove.map(({ kind, object }) => ({ target: refTo(kind, object) })),
    result: waitFor(awaits),
  };
}

/**
 * Objects that only a live list shows are reported by an Event, because the status cannot see them, and
 * listed again.
 */
function unwatched(
  cluster: Cluster,
  descendants: readonly Descendants[],
): Pick<Decision<Cluster, never>, "events"> & Partial<Pick<Decision<Cluster, never>, "result">> {
  const unseen = workersStage(
    cluster,
    descendants.filter(({ of }) => !of.watched),
  );
  if (unseen === undefined) return {};
  const { reason, message, awaits } = unseen;
  return { events: [{ type: "Normal", reason, message }], result: requeueAfter(POLL_MS, awaits) };
}

function leftTo(other: Cluster, cluster: Cluster, role: ProviderRole): Notice {
  const reference = referenceOf(cluster, role);
  const message = `${reference?.kind} ${reference?.name} is left to Cluster ${other.metadata.name}, which references it too`;
  return { type: "Normal", reason: "SharedWithAnotherCluster", message };
}

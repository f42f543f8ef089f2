import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import { done, requeueAfter, soonest, waitFor } from "../../../shared/function/result.ts";
import { condition, setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import type { StatusReport } from "../../../shared/rules/status/report.ts";
import { awaitedCompletion } from "./completion.ts";
import { poolConditions } from "./conditions.ts";
import { nodeCounters, poolCounters } from "./counters.ts";
import { awaitedDeletion, deletionMessage } from "./deletion.ts";
import { poolDeprecatedConditions, withSummary } from "./deprecated-conditions.ts";
import { poolFailure } from "./failures.ts";
import type { NodeReport } from "./nodes.ts";
import { poolNotices } from "./notices.ts";
import { poolPhase } from "./phase.ts";
import type { PoolFacts, PoolView } from "./view.ts";

/** Returns what is said about a pool that is neither paused nor being deleted. */
export function poolReport(view: PoolView): StatusReport<MachinePoolStatus> {
  const { nodeReport, now } = view;
  const status = poolStatus(view);
  const awaited = awaitedCompletion(view, status);
  return {
    status,
    events: poolNotices(view),
    result: [
      awaited === undefined ? done : waitFor(awaited),
      nodeReport.nextExpiryAt === undefined
        ? done
        : requeueAfter(nodeReport.nextExpiryAt.getTime() - now.getTime(), "minReadySeconds of a Node"),
      // Another pool that takes the Node over wakes only itself.
      isLeft(nodeReport) ? requeueAfter(MINUTE, "a Node that left the list") : done,
    ].reduce(soonest),
  };
}

/** Whether a Node is named that the pool no longer lists. */
function isLeft({ nodeRefs, matched }: NodeReport): boolean {
  return matched !== undefined && nodeRefs.length > matched.length;
}

/** Returns the complete status: what has no new value is carried on, so that no apply loses a field. */
export function poolStatus(view: PoolView): MachinePoolStatus {
  const { pool, providers, infrastructure, nodeReport, now } = view;
  const { status: previous } = pool;
  const { generation } = pool.metadata;
  const known: MachinePoolStatus = {
    ...previous,
    initialization: initialization(view),
    nodeRefs: nodeReport.nodeRefs.length === 0 ? undefined : nodeReport.nodeRefs,
    replicas: infrastructure.replicas ?? previous?.replicas,
  };
  const counted: MachinePoolStatus = {
    ...known,
    ...poolCounters(view, known),
    deprecated: {
      v1beta1: {
        ...previous?.deprecated?.v1beta1,
        ...poolFailure(pool, providers),
        ...nodeCounters(nodeReport, known.replicas),
      },
    },
  };
  return {
    ...counted,
    phase: poolPhase(pool, counted),
    conditions: setConditions(previous?.conditions, poolConditions(view, counted), now, generation),
    deprecated: {
      v1beta1: {
        ...counted.deprecated?.v1beta1,
        conditions: poolDeprecatedConditions(view, counted),
      },
    },
    observedGeneration: view.settled ? generation : previous?.observedGeneration,
  };
}

/** Returns everything as it was, but for `Paused`. */
export function pausedPoolStatus(pool: MachinePool, cluster: Cluster, now: Date): MachinePoolStatus {
  const paused = pausedCondition(cluster, pool, "MachinePool");
  const conditions = setConditions(pool.status?.conditions, [paused], now, pool.metadata.generation);
  return { ...pool.status, conditions };
}

/** Returns, while deleting, everything as it was, but for phase, `Ready`, `Deleting`, `Paused` and the generation. */
export function deletingPoolReport({
  pool,
  cluster,
  providers,
  now,
}: Pick<PoolFacts, "pool" | "cluster" | "providers" | "now">): StatusReport<MachinePoolStatus> {
  const { status: previous } = pool;
  const { generation } = pool.metadata;
  const deleting = condition("Deleting", "True", "Deleting", deletionMessage(pool, providers));
  const paused = pausedCondition(cluster, pool, "MachinePool");
  const status: MachinePoolStatus = {
    ...previous,
    phase: "Deleting",
    conditions: setConditions(previous?.conditions, [deleting, paused], now, generation),
    deprecated: {
      v1beta1: { ...previous?.deprecated?.v1beta1, conditions: withSummary(pool, [], now) },
    },
    observedGeneration: generation,
  };
  const awaited = awaitedDeletion(pool, providers) ?? "MachinePool.metadata.finalizers";
  return { status, events: [], result: waitFor(awaited) };
}

function initialization({ pool, bootstrap, infrastructure }: PoolView): MachinePoolStatus["initialization"] {
  const previous = pool.status?.initialization;
  const bootstrapDataSecretCreated = bootstrap.created ?? previous?.bootstrapDataSecretCreated;
  const infrastructureProvisioned = infrastructure.provisioned ?? previous?.infrastructureProvisioned;
  return bootstrapDataSecretCreated === undefined && infrastructureProvisioned === undefined
    ? undefined
    : { bootstrapDataSecretCreated, infrastructureProvisioned };
}

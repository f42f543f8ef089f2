import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { condition, setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/metadata/paused.ts";
import { type BootstrapReport, bootstrapReport } from "./bootstrap.ts";
import { poolConditions } from "./conditions.ts";
import { nodeCounters, poolCounters } from "./counters.ts";
import { deletionMessage } from "./deletion.ts";
import { poolDeprecatedConditions, withSummary } from "./deprecated-conditions.ts";
import { poolFailure } from "./failures.ts";
import { type InfrastructureReport, infrastructureReport } from "./infrastructure.ts";
import type { NodeReport } from "./nodes.ts";
import { poolPhase } from "./phase.ts";
import type { PoolInputs } from "./reads.ts";
import { poolWritesDue } from "./writes-due.ts";

/** The complete status, always: what has no new value is carried on, so that no apply loses a field (KW-02). */
export function poolStatus(inputs: PoolInputs, report: NodeReport): MachinePoolStatus {
  const { pool, cluster, providers, now } = inputs;
  const { status: previous } = pool;
  const { generation } = pool.metadata;
  const bootstrap = bootstrapReport(pool, providers.bootstrap);
  const infrastructure = infrastructureReport(pool, providers.infrastructure);

  const known: MachinePoolStatus = {
    ...previous,
    initialization: initialization(pool, bootstrap, infrastructure),
    nodeRefs: report.nodeRefs.length === 0 ? undefined : report.nodeRefs,
    replicas: infrastructure.replicas ?? previous?.replicas,
  };
  const counted: MachinePoolStatus = {
    ...known,
    ...poolCounters(inputs, report, known),
    deprecated: {
      v1beta1: {
        ...previous?.deprecated?.v1beta1,
        ...poolFailure(pool, providers),
        ...nodeCounters(report, known.replicas),
      },
    },
  };
  return {
    ...counted,
    phase: poolPhase(pool, counted),
    conditions: setConditions(
      previous?.conditions,
      poolConditions(inputs, { bootstrap, infrastructure }, counted),
      now,
      generation,
    ),
    deprecated: {
      v1beta1: {
        ...counted.deprecated?.v1beta1,
        conditions: poolDeprecatedConditions(inputs, { bootstrap, nodes: report }, counted),
      },
    },
    observedGeneration: poolWritesDue(pool, cluster, providers) ? previous?.observedGeneration : generation,
  };
}

/** Everything as it was, but for `Paused`. */
export function pausedPoolStatus(pool: MachinePool, cluster: Cluster, now: Date): MachinePoolStatus {
  const paused = pausedCondition(cluster, pool, "MachinePool");
  const conditions = setConditions(pool.status?.conditions, [paused], now, pool.metadata.generation);
  return { ...pool.status, conditions };
}

/** While deleting: everything as it was, but for phase, `Ready`, `Deleting`, `Paused` and the generation. */
export function deletingPoolStatus({
  pool,
  cluster,
  providers,
  now,
}: Omit<PoolInputs, "nodes" | "machines">): MachinePoolStatus {
  const { status: previous } = pool;
  const { generation } = pool.metadata;
  const deleting = condition("Deleting", "True", "Deleting", deletionMessage(pool, providers));
  const paused = pausedCondition(cluster, pool, "MachinePool");
  return {
    ...previous,
    phase: "Deleting",
    conditions: setConditions(previous?.conditions, [deleting, paused], now, generation),
    deprecated: {
      v1beta1: { ...previous?.deprecated?.v1beta1, conditions: withSummary(pool, [], now) },
    },
    observedGeneration: generation,
  };
}

function initialization(
  pool: MachinePool,
  bootstrap: BootstrapReport,
  infrastructure: InfrastructureReport,
): MachinePoolStatus["initialization"] {
  const previous = pool.status?.initialization;
  const bootstrapDataSecretCreated = bootstrap.created ?? previous?.bootstrapDataSecretCreated;
  const infrastructureProvisioned = infrastructure.provisioned ?? previous?.infrastructureProvisioned;
  return bootstrapDataSecretCreated === undefined && infrastructureProvisioned === undefined
    ? undefined
    : { bootstrapDataSecretCreated, infrastructureProvisioned };
}

import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import type { BootstrapData } from "../../../shared/rules/providers/bootstrap-data.ts";
import {
  type MachineProviders,
  seeLostInfrastructure,
} from "../../../shared/rules/providers/machine-providers.ts";
import { bootstrapReport } from "./bootstrap.ts";
import { type InfrastructureReport, infrastructureReport } from "./infrastructure.ts";
import { infraMachineKindOf, readOwnMachines } from "./machines.ts";
import type { Rivals } from "./node-marks.ts";
import { type NodeReport, nodeReport } from "./nodes.ts";
import { readNodes, readTakers, readUnseen } from "./reads.ts";
import { poolWritesDue } from "./writes-due.ts";

/** Reads for the status of a pool. */
export interface PoolFacts {
  readonly pool: MachinePool;
  readonly cluster: Cluster;
  readonly providers: MachineProviders;
  /** The result of `readNodes`; `undefined` without a complete view of the workload cluster. */
  readonly nodes: readonly Node[] | undefined;
  /** The result of `readTakers`. */
  readonly takers?: Rivals;
  /** The result of `readUnseen`. */
  readonly unseen?: string | undefined;
  /** The result of `readOwnMachines`; absent for a pool whose provider has no Machines. */
  readonly machines?: readonly Machine[] | undefined;
  readonly now: Date;
}

/** The facts and what they mean: everything that the status of a pool is computed from. */
export interface PoolView extends PoolFacts {
  readonly bootstrap: BootstrapData;
  readonly infrastructure: InfrastructureReport;
  readonly nodeReport: NodeReport;
  /** No sibling has anything left to write: `observedGeneration` may move. */
  readonly settled: boolean;
}

export function poolView(facts: PoolFacts): PoolView {
  const { pool, cluster, providers, nodes, takers, now } = facts;
  return {
    ...facts,
    bootstrap: bootstrapReport(pool, providers.bootstrap),
    infrastructure: infrastructureReport(pool, providers.infrastructure),
    nodeReport: nodeReport(pool, nodes, now, takers),
    settled: !poolWritesDue(pool, cluster, providers),
  };
}

/**
 * Reads the rest of the view of a pool that is neither paused nor being deleted; `snapshots` are those of
 * `readProviders`.
 */
export async function readView(
  { read, now }: StepContext,
  pool: MachinePool,
  cluster: Cluster,
  snapshots: MachineProviders,
): Promise<PoolView> {
  const providers = await seeLostInfrastructure(read.live, pool, pool.spec.template.spec, snapshots);
  const nodes = await readNodes(read, pool);
  const hasMachines = infraMachineKindOf(pool, providers.infrastructure) !== undefined;
  return poolView({
    pool,
    cluster,
    providers,
    nodes,
    machines: hasMachines ? await readOwnMachines(read, pool) : undefined,
    takers: await readTakers(read, pool, nodes),
    unseen: nodes === undefined ? await readUnseen(read, pool) : undefined,
    now,
  });
}

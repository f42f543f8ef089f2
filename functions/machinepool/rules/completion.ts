import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { awaitedAdoption } from "../../../shared/rules/providers/adoption.ts";
import { poolClaim } from "./adoption.ts";
import { awaitedData, awaitedFleet } from "./awaited.ts";
import { isReady, type NodeReport } from "./nodes.ts";
import { infrastructureOf } from "./providers.ts";
import type { PoolView } from "./view.ts";

/**
 * Returns the waits of a live pool until it has its desired state, in the order in which they end: bootstrap
 * data, infrastructure, the workload cluster, instances, their Nodes, their Machines; `undefined` = nothing.
 * `status` is the one about to be written.
 */
export function awaitedCompletion(view: PoolView, status: MachinePoolStatus): string | undefined {
  const { pool, providers, nodes, nodeReport } = view;
  const { created, provided } = view.bootstrap;
  if (created !== true && provided !== true) return awaitedData(pool, providers);
  const unowned = awaitedAdoption(poolClaim(pool), infrastructureOf(pool, providers));
  if (unowned !== undefined) return unowned;
  if (status.initialization?.infrastructureProvisioned !== true) return awaitedFleet(pool, providers);
  if (nodes === undefined) return "Connection.status.nodesComplete";
  return awaitedInstances(pool, status) ?? awaitedNodes(pool, nodeReport) ?? awaitedMachines(view);
}

function awaitedInstances({ spec }: MachinePool, { replicas }: MachinePoolStatus): string | undefined {
  if (spec.replicas === undefined) return "MachinePool.spec.replicas";
  if (replicas !== spec.replicas) return "InfraMachinePool.status.replicas";
  return replicas === (spec.providerIDList ?? []).length ? undefined : "InfraMachinePool.spec.providerIDList";
}

function awaitedNodes({ spec }: MachinePool, { nodeRefs, matched = [] }: NodeReport): string | undefined {
  const present = new Set(matched.map((node) => node.spec?.providerID));
  const missing = spec.providerIDList?.find((providerID) => !present.has(providerID));
  if (missing !== undefined) return `Node.metadata.uid of ${missing}`;
  const unready = matched.find((node) => !isReady(node));
  if (unready !== undefined) return `Node.status.conditions[Ready].status of ${unready.metadata.name}`;
  const retired = nodeRefs[matched.length];
  return retired === undefined ? undefined : `Node.metadata.uid of ${retired.name}`;
}

function awaitedMachines({ machines = [] }: PoolView): string | undefined {
  const unavailable = machines.find(
    ({ status }) => conditionOf(status?.conditions, "Available")?.status !== "True",
  );
  return unavailable === undefined
    ? undefined
    : `Machine.status.conditions[Available].status of ${unavailable.metadata.name}`;
}

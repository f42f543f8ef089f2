import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  mirrorDeprecatedCondition,
  setDeprecatedConditions,
  summarizeDeprecated,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { ownObject } from "./adoption.ts";
import type { BootstrapReport } from "./bootstrap.ts";
import type { NodeReport } from "./nodes.ts";
import type { PoolInputs } from "./reads.ts";

/**
 * All of `status.deprecated.v1beta1.conditions`, in the words of Cluster API's v1beta1. Entries for which no rule
 * holds stay. Source: machinepool.md 7.2
 */
export function poolDeprecatedConditions(
  inputs: PoolInputs,
  reports: { readonly bootstrap: BootstrapReport; readonly nodes: NodeReport },
  status: MachinePoolStatus,
): readonly DeprecatedCondition[] {
  const desired = [
    bootstrapReady(inputs, reports.bootstrap, status),
    infrastructureReady(inputs, status),
    replicasReady(inputs, reports.nodes, status),
  ].filter((entry) => entry !== undefined);
  return withSummary(inputs.pool, desired, inputs.now);
}

/** The previous entries with `desired` in their places and `Ready` computed anew. */
export function withSummary(
  pool: MachinePool,
  desired: readonly DesiredDeprecatedCondition[],
  now: Date,
): readonly DeprecatedCondition[] {
  const list = setDeprecatedConditions(pool.status?.deprecated?.v1beta1?.conditions, desired, now);
  const ready = summarizeDeprecated(list, ["BootstrapReady", "InfrastructureReady", "ReplicasReady"]);
  return ready === undefined ? list : setDeprecatedConditions(list, [ready], now);
}

function bootstrapReady(
  { pool, providers }: PoolInputs,
  { provided }: BootstrapReport,
  { initialization }: MachinePoolStatus,
): DesiredDeprecatedCondition | undefined {
  const type = "BootstrapReady";
  if (provided === true) return deprecatedCondition(type, "True");
  const own = ownObject(pool, providers.bootstrap);
  if (own === undefined || own.object.metadata.deletionTimestamp !== undefined) return undefined;
  return (
    mirrorDeprecatedCondition(own.object, "Ready", type) ??
    byFlag(type, initialization?.bootstrapDataSecretCreated, "WaitingForDataSecret")
  );
}

function infrastructureReady(
  { pool, providers: { infrastructure } }: PoolInputs,
  { initialization }: MachinePoolStatus,
): DesiredDeprecatedCondition | undefined {
  const type = "InfrastructureReady";
  if (infrastructure.state === "missing") {
    const { kind, name } = pool.spec.template.spec.infrastructureRef;
    return deprecatedCondition(type, "False", {
      severity: "Error",
      reason: "IncorrectExternalRef",
      message: `could not find infra reference of kind ${kind} with name ${name}`,
    });
  }
  const own = ownObject(pool, infrastructure);
  if (own === undefined || own.object.metadata.deletionTimestamp !== undefined) return undefined;
  return (
    mirrorDeprecatedCondition(own.object, "Ready", type) ??
    byFlag(type, initialization?.infrastructureProvisioned, "WaitingForInfrastructure")
  );
}

/** Also True for a new pool without anything, as upstream says it; absent without a view of the workload cluster. */
function replicasReady(
  { providers, nodes }: PoolInputs,
  report: NodeReport,
  { replicas = 0 }: MachinePoolStatus,
): DesiredDeprecatedCondition | undefined {
  if (nodes === undefined || providers.infrastructure.state !== "found") return undefined;
  const counted = (report.matched ?? report.nodeRefs).length;
  return byFlag(
    "ReplicasReady",
    replicas === report.readyReplicas && counted === report.readyReplicas,
    "WaitingForReplicasReady",
  );
}

function byFlag(type: string, flag: boolean | undefined, reason: string): DesiredDeprecatedCondition {
  return flag === true
    ? deprecatedCondition(type, "True")
    : deprecatedCondition(type, "False", { severity: "Info", reason });
}

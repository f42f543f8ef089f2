import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  mirrorDeprecatedCondition,
  summarizedConditions,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { ownObject } from "./adoption.ts";
import type { PoolView } from "./view.ts";

/**
 * Returns all of `status.deprecated.v1beta1.conditions`, in the words of Cluster API's v1beta1. Entries for which no
 * rule holds stay.
 */
export function poolDeprecatedConditions(
  view: PoolView,
  status: MachinePoolStatus,
): readonly DeprecatedCondition[] {
  const desired = [
    bootstrapReady(view, status),
    infrastructureReady(view, status),
    replicasReady(view, status),
  ];
  return withSummary(view.pool, desired, view.now);
}

/** The previous entries with `desired` in their places and `Ready` computed again. */
export function withSummary(
  pool: MachinePool,
  desired: readonly (DesiredDeprecatedCondition | undefined)[],
  now: Date,
): readonly DeprecatedCondition[] {
  const types = ["BootstrapReady", "InfrastructureReady", "ReplicasReady"];
  return summarizedConditions(pool.status?.deprecated?.v1beta1?.conditions, desired, { types }, now);
}

function bootstrapReady(
  { pool, providers, bootstrap: { provided } }: PoolView,
  { initialization }: MachinePoolStatus,
): DesiredDeprecatedCondition | undefined {
  const type = "BootstrapReady";
  if (provided === true) return deprecatedCondition(type, "True");
  const own = ownObject(pool, providers.bootstrap);
  if (own === undefined || own.object.metadata.deletionTimestamp !== undefined) return undefined;
  return (
    mirrorDeprecatedCondition(own.object, type) ??
    byFlag(type, initialization?.bootstrapDataSecretCreated, "WaitingForDataSecret")
  );
}

function infrastructureReady(
  { pool, providers: { infrastructure } }: PoolView,
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
    mirrorDeprecatedCondition(own.object, type) ??
    byFlag(type, initialization?.infrastructureProvisioned, "WaitingForInfrastructure")
  );
}

/** Is True also for a new pool without anything, as upstream says it; absent without a view of the workload cluster. */
function replicasReady(
  { providers, nodes, nodeReport: report }: PoolView,
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

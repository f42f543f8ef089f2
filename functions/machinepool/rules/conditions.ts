import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { bootstrapConfigPath } from "../../../shared/contract/bootstrap-config.ts";
import { infraMachinePoolPath } from "../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import {
  condition,
  conditionOf,
  type DesiredCondition,
  mirrorCondition,
} from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
} from "../../../shared/rules/machines/machine-conditions.ts";
import { refusedReasons } from "../../../shared/rules/metadata/refused-write.ts";
import { refusal } from "../../../shared/rules/providers/adoption.ts";
import { ownObject, poolClaim } from "./adoption.ts";
import type { PoolView } from "./view.ts";

/**
 * The ten conditions of a live pool, from its view and the rest of the status about to be written. One for which
 * no rule holds is left out and stays as it is.
 */
export function poolConditions(view: PoolView, status: MachinePoolStatus): readonly DesiredCondition[] {
  const { pool, cluster, machines = [] } = view;
  const infrastructureReady = infrastructureCondition(view, status);
  return [
    availableCondition(view, status, infrastructureReady),
    bootstrapCondition(view, status),
    infrastructureReady,
    machinesReadyCondition(view),
    machinesUpToDate("MachinesUpToDate", machines),
    remediating(machines),
    scalingCondition("ScalingUp", pool, status),
    scalingCondition("ScalingDown", pool, status),
    condition("Deleting", "False", "NotDeleting"),
    pausedCondition(cluster, pool, "MachinePool"),
  ].filter((desired) => desired !== undefined);
}

/** Machines that the API server refuses are missing among those that are counted. */
function machinesReadyCondition({ pool, machines = [] }: PoolView): DesiredCondition {
  const [refused] = refusedReasons(pool);
  const ready = machinesReady("MachinesReady", machines);
  if (refused === undefined) return ready;
  const message = [refused, ready.message].filter(Boolean).join("\n");
  return condition("MachinesReady", "False", "NotReady", message);
}

function availableCondition(
  { pool, machines, unseen }: PoolView,
  status: MachinePoolStatus,
  infrastructureReady: DesiredCondition | undefined,
): DesiredCondition {
  const wanted = pool.spec.replicas;
  if (wanted === undefined) return waitingForReplicas("Available", "spec.replicas");
  const available = (machines === undefined ? status.deprecated?.v1beta1 : status)?.availableReplicas ?? 0;
  const infrastructure = infrastructureReady ?? conditionOf(pool.status?.conditions, "InfrastructureReady");
  const counts = `${available} available replicas, ${wanted} desired`;
  if (infrastructure?.status !== "True") {
    return condition("Available", "False", "NotAvailable", `${counts}; InfrastructureReady is not True`);
  }
  return available >= wanted
    ? condition("Available", "True", "Available")
    : condition("Available", "False", "NotAvailable", unseen === undefined ? counts : `${counts}; ${unseen}`);
}

function scalingCondition(
  type: "ScalingUp" | "ScalingDown",
  pool: MachinePool,
  { replicas: present }: MachinePoolStatus,
): DesiredCondition {
  const wanted = pool.spec.replicas;
  if (wanted === undefined) return waitingForReplicas(type, "spec.replicas");
  if (present === undefined) return waitingForReplicas(type, "status.replicas");
  const scaling = type === "ScalingUp" ? present < wanted : present > wanted;
  const direction = type === "ScalingUp" ? "up" : "down";
  return scaling
    ? condition(type, "True", type, `Scaling ${direction} from ${present} to ${wanted} replicas`)
    : condition(type, "False", `Not${type}`);
}

function waitingForReplicas(type: string, field: string): DesiredCondition {
  return condition(type, "Unknown", "WaitingForReplicasSet", `Waiting for ${field} to be set`);
}

function bootstrapCondition(
  { pool, providers: { bootstrap: found }, bootstrap: { provided, message } }: PoolView,
  status: MachinePoolStatus,
): DesiredCondition | undefined {
  const type = "BootstrapConfigReady";
  if (provided === true) return condition(type, "True", "DataSecretProvided", message);
  if (found === undefined) return undefined;
  const name = pool.spec.template.spec.bootstrap.configRef?.name ?? "";
  return providerCondition(type, pool, {
    found,
    flag: status.initialization?.bootstrapDataSecretCreated === true,
    flagPath: found.state === "found" ? bootstrapConfigPath(found.contract, "dataSecretCreated") : "",
    message,
    missing: ["ObjectDoesNotExist", `${name} does not exist`],
  });
}

function infrastructureCondition(
  { pool, providers: { infrastructure: found }, infrastructure: { message } }: PoolView,
  status: MachinePoolStatus,
): DesiredCondition | undefined {
  const { name } = pool.spec.template.spec.infrastructureRef;
  const provisioned = status.initialization?.infrastructureProvisioned === true;
  return providerCondition("InfrastructureReady", pool, {
    found,
    flag: provisioned,
    flagPath: found.state === "found" ? infraMachinePoolPath(found.contract, "ready") : "",
    message,
    missing: provisioned
      ? ["ObjectDeleted", `${name} has been deleted while the pool still exists`]
      : ["ObjectDoesNotExist", `${name} does not exist`],
  });
}

interface ProviderFacts {
  readonly found: Referenced;
  /** The pool's own flag, which decides where the object reports no condition `Ready`. */
  readonly flag: boolean;
  readonly flagPath: string;
  /** Problems of the object's fields. */
  readonly message: string | undefined;
  /** Reason and message (without the kind) for an object that does not exist. */
  readonly missing: readonly [string, string];
}

function providerCondition(
  type: string,
  pool: MachinePool,
  facts: ProviderFacts,
): DesiredCondition | undefined {
  const { found, flag, message } = facts;
  if (found.state === "unresolved") return condition(type, "Unknown", "InternalError", found.message);
  if (found.state === "missing") {
    const [reason, text] = facts.missing;
    return condition(type, "False", reason, `${found.kind.kind} ${text}`);
  }
  const refused = refusal(poolClaim(pool), found.object);
  if (refused !== undefined) return condition(type, "False", "NotReady", refused);
  if (ownObject(pool, found) === undefined) return undefined;
  // With a problem beside it the flag may well be true.
  const absent = isDeleting(found.object) ? "is being deleted" : `${facts.flagPath} is not true`;
  const byFlag = flag
    ? condition(type, "True", "Ready")
    : condition(type, "False", "NotReady", message === undefined ? `${found.kind.kind} ${absent}` : "");
  const ready = mirrorCondition(found.object, "Ready", type, { False: "NotReady" }) ?? byFlag;
  return message === undefined
    ? ready
    : {
        ...ready,
        ...condition(type, ready.status, ready.reason, [ready.message, message].filter(Boolean).join("; ")),
      };
}

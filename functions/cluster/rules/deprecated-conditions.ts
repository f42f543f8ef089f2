import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  mirrorDeprecatedCondition,
  summarizedConditions,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { ownObject } from "./adoption.ts";
import { initializedFlag, provisionedFlag } from "./latches.ts";
import type { ClusterProviders, ProviderRole } from "./providers.ts";

const WAITING = {
  infrastructure: { type: "InfrastructureReady", reason: "WaitingForInfrastructure" },
  controlPlane: { type: "ControlPlaneReady", reason: "WaitingForControlPlane" },
} as const;

/**
 * The list `status.deprecated.v1beta1.conditions`: what users of the API version v1beta1 see as conditions.
 * `initialized` is whether the condition `ControlPlaneInitialized` is True.
 */
export function clusterDeprecatedConditions(
  cluster: Cluster,
  { infrastructure, controlPlane }: ClusterProviders,
  initialized: boolean,
  now: Date,
): readonly DeprecatedCondition[] {
  const stored = cluster.status?.deprecated?.v1beta1?.conditions ?? [];
  const desired = [
    ...aboutProvider(cluster, "infrastructure", infrastructure, stored),
    ...aboutProvider(cluster, "controlPlane", controlPlane, stored),
    aboutInitialization(cluster, initialized),
  ];
  return summarizedConditions(stored, desired, { types: ["ControlPlaneReady", "InfrastructureReady"] }, now);
}

function aboutProvider(
  cluster: Cluster,
  role: ProviderRole,
  provider: Referenced | undefined,
  stored: readonly DeprecatedCondition[],
): readonly DesiredDeprecatedCondition[] {
  const { type, reason } = WAITING[role];
  const waiting = deprecatedCondition(type, "False", { severity: "Info", reason });
  const before: DesiredDeprecatedCondition = withoutTime(conditionOf(stored, type)) ?? waiting;
  if (provider === undefined) return withoutReference(cluster, role, waiting);
  if (provider.state === "unresolved") return [before];
  if (provider.state === "missing") {
    return isDeleting(cluster)
      ? [deprecatedCondition(type, "False", { severity: "Info", reason: "Deleted" })]
      : [before];
  }
  const mirrored = mirrorDeprecatedCondition(provider.object, type);
  if (mirrored !== undefined) return [mirrored];
  if (isDeleting(cluster)) {
    return [deprecatedCondition(type, "False", { severity: "Info", reason: "Deleting" })];
  }
  return [isFlagged(cluster, role, provider) ? deprecatedCondition(type, "True") : waiting];
}

function withoutReference(
  cluster: Cluster,
  role: ProviderRole,
  waiting: DesiredDeprecatedCondition,
): readonly DesiredDeprecatedCondition[] {
  if (cluster.spec.topology !== undefined) return [waiting];
  return role === "infrastructure" ? [deprecatedCondition(waiting.type, "True")] : [];
}

function isFlagged(cluster: Cluster, role: ProviderRole, provider: Referenced): boolean {
  const owned = ownObject(cluster, provider);
  if (owned === undefined) return false;
  return (role === "infrastructure" ? provisionedFlag(owned) : initializedFlag(owned)).value === true;
}

function aboutInitialization(cluster: Cluster, initialized: boolean): DesiredDeprecatedCondition {
  const type = "ControlPlaneInitialized";
  if (initialized) return deprecatedCondition(type, "True");
  const [reason, message] =
    cluster.spec.controlPlaneRef === undefined && cluster.spec.topology === undefined
      ? ["MissingNodeRef", "Waiting for the first control plane machine to have its status.nodeRef set"]
      : [
          "WaitingForControlPlaneProviderInitialized",
          "Waiting for control plane provider to indicate the control plane has been initialized",
        ];
  return deprecatedCondition(type, "False", { severity: "Info", reason, message });
}

function withoutTime(stored: DeprecatedCondition | undefined): DesiredDeprecatedCondition | undefined {
  if (stored === undefined) return undefined;
  const { lastTransitionTime: _, ...statement } = stored;
  return statement;
}

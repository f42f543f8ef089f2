import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import {
  condition,
  conditionOf,
  type DesiredCondition,
  mirrorCondition,
} from "../../../shared/rules/conditions/conditions.ts";
import { refusal } from "../../../shared/rules/providers/adoption.ts";
import { clusterClaim, ownObject } from "./adoption.ts";
import { initializedFlag } from "./latches.ts";
import { type ProviderRole, referenceOf } from "./providers.ts";

/** Report of a Cluster with a topology while its controller runs. */
const AWAITS_TOPOLOGY = "Waiting for cluster topology to be reconciled";

/** The Cluster's condition about a provider object: its name, what it mirrors, what it says without a source. */
const ABOUT = {
  infrastructure: {
    type: "InfrastructureReady",
    source: "Ready",
    bad: "NotReady",
    flag: "status.initialization.provisioned",
  },
  controlPlane: {
    type: "ControlPlaneAvailable",
    source: "Available",
    bad: "NotAvailable",
    flag: "status.initialization.controlPlaneInitialized",
  },
} as const;

export interface ProviderFacts {
  readonly provider: Referenced | undefined;
  /** The latch that belongs to the object, as it is from now on. */
  readonly latched: boolean;
  /** Malformed fields of the object, as texts. */
  readonly problems: readonly string[];
  /** Why no topology will bring the reference; absent: one may. */
  readonly withoutTopology?: string | undefined;
}

/** Returns `InfrastructureReady` or `ControlPlaneAvailable` of a Cluster that references the object. */
function providerCondition(
  cluster: Cluster,
  role: ProviderRole,
  { provider, latched, problems, withoutTopology }: ProviderFacts,
): DesiredCondition {
  const { type, source, bad, flag } = ABOUT[role];
  const kind = referenceOf(cluster, role)?.kind ?? "";
  if (provider === undefined) {
    return condition(type, "False", "ObjectDoesNotExist", awaitedText(cluster, withoutTopology));
  }
  switch (provider.state) {
    case "unresolved":
      return condition(type, "Unknown", "InternalError", provider.message);
    case "missing":
      return absentCondition(type, kind, { deleting: isDeleting(cluster), latched });
    case "found": {
      const refused = refusal(clusterClaim(cluster), provider.object);
      if (refused !== undefined) return condition(type, "False", bad, refused);
      const reported =
        mirrorCondition(provider.object, source, type) ??
        (latched
          ? condition(type, "True", source)
          : condition(type, "False", bad, problems.length > 0 ? "" : `${kind} ${flag} is false`));
      return {
        ...reported,
        message: [reported.message, ...problems].filter((text) => text !== "").join("\n"),
      };
    }
    default:
      provider satisfies never;
      return condition(type, "Unknown", "InternalError");
  }
}

/** Returns the message without a reference, which only a topology can still bring. */
function awaitedText(cluster: Cluster, withoutTopology: string | undefined): string {
  return isDeleting(cluster) ? "" : (withoutTopology ?? AWAITS_TOPOLOGY);
}

function absentCondition(
  type: string,
  kind: string,
  { deleting, latched }: { readonly deleting: boolean; readonly latched: boolean },
): DesiredCondition {
  if (!latched) return condition(type, "False", "ObjectDoesNotExist", `${kind} does not exist`);
  const when = deleting ? "" : " while the cluster still exists";
  return condition(type, "False", "ObjectDeleted", `${kind} has been deleted${when}`);
}

/**
 * Returns `InfrastructureReady` of any Cluster.
 * Differs: without infrastructureRef and topology it is True; upstream such a Cluster is never Available.
 */
export function infrastructureReady(cluster: Cluster, facts: ProviderFacts): DesiredCondition {
  return facts.provider === undefined && cluster.spec.topology === undefined
    ? condition("InfrastructureReady", "True", "Ready")
    : providerCondition(cluster, "infrastructure", facts);
}

/**
 * Returns `ControlPlaneAvailable` of any Cluster; `initialized` is its condition `ControlPlaneInitialized`.
 * Differs: without controlPlaneRef and topology it follows that condition; upstream it is never True.
 */
export function controlPlaneAvailable(
  cluster: Cluster,
  facts: ProviderFacts,
  initialized: DesiredCondition,
): DesiredCondition {
  if (facts.provider !== undefined || cluster.spec.topology !== undefined) {
    return providerCondition(cluster, "controlPlane", facts);
  }
  return initialized.status === "True"
    ? condition("ControlPlaneAvailable", "True", "Available")
    : condition("ControlPlaneAvailable", "False", "NotAvailable", initialized.message);
}

/**
 * Returns `ControlPlaneInitialized`: once True it is copied, never evaluated. `hasNode`: a control plane Machine has a
 * nodeRef; only asked without reference.
 */
export function controlPlaneInitialized(
  cluster: Cluster,
  controlPlane: Referenced | undefined,
  { hasNode, withoutTopology }: { readonly hasNode: boolean; readonly withoutTopology?: string | undefined },
): DesiredCondition {
  const type = "ControlPlaneInitialized";
  const stored = conditionOf(cluster.status?.conditions, type);
  if (stored?.status === "True") return condition(type, "True", stored.reason, stored.message);
  if (cluster.spec.controlPlaneRef === undefined) {
    if (cluster.spec.topology !== undefined) {
      return condition(type, "Unknown", "ObjectDoesNotExist", awaitedText(cluster, withoutTopology));
    }
    return hasNode
      ? condition(type, "True", "Initialized")
      : condition(
          type,
          "False",
          "NotInitialized",
          "Waiting for the first control plane machine to have status.nodeRef set",
        );
  }
  return initializedByObject(cluster, type, controlPlane);
}

function initializedByObject(
  cluster: Cluster,
  type: string,
  controlPlane: Referenced | undefined,
): DesiredCondition {
  if (controlPlane?.state === "unresolved") {
    return condition(type, "Unknown", "InternalError", controlPlane.message);
  }
  if (controlPlane?.state !== "found") {
    const kind = cluster.spec.controlPlaneRef?.kind ?? "";
    return condition(type, "Unknown", "ObjectDoesNotExist", `${kind} does not exist`);
  }
  const owned = ownObject(cluster, controlPlane);
  const flag = owned === undefined ? {} : initializedFlag(owned);
  if (flag.problem !== undefined) return condition(type, "Unknown", "InternalError", flag.problem);
  return flag.value === true
    ? condition(type, "True", "Initialized")
    : condition(type, "False", "NotInitialized", "Control plane not yet initialized");
}

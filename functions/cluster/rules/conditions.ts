import type { Condition } from "../../../shared/api/conditions.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { topologyProblem } from "../../../shared/rules/coexistence/topology.ts";
import {
  condition,
  type DesiredCondition,
  setConditions,
} from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import { ownObject } from "./adoption.ts";
import { summarize } from "./available.ts";
import { initializedFlag, provisionedFlag } from "./latches.ts";
import { hasControlPlaneNode, machineConditions } from "./machines.ts";
import { ownStatus } from "./own-status.ts";
import {
  controlPlaneAvailable,
  controlPlaneInitialized,
  infrastructureReady,
} from "./provider-conditions.ts";
import type { ClusterView } from "./view.ts";
import { workerConditions } from "./worker-conditions.ts";

/** Returns all conditions of `cluster-status`, each judged by itself. */
export function clusterConditions(view: ClusterView): readonly Condition[] {
  const { cluster, providers, now } = view;
  const { infrastructure, controlPlane } = providers;
  const withoutTopology = topologyProblem(cluster, view.topologyRuns, now);
  const hasNode = hasControlPlaneNode(view.machines);
  const initialized = controlPlaneInitialized(cluster, controlPlane, { hasNode, withoutTopology });
  const desired = [
    infrastructureReady(cluster, {
      provider: infrastructure,
      latched: view.provisioned,
      problems: infrastructureProblems(view),
      withoutTopology,
    }),
    controlPlaneAvailable(
      cluster,
      {
        provider: controlPlane,
        latched: view.initialized,
        problems: controlPlaneProblems(view),
        withoutTopology,
      },
      initialized,
    ),
    initialized,
    view.probe.condition,
    ...workerConditions(view.workers, controlPlane),
    ...machineConditions(view.machines, now),
    deletingCondition(view),
    pausedCondition(cluster, cluster, cluster.kind),
  ];
  const available = summarize({
    deleting: isDeleting(cluster),
    topology: cluster.spec.topology !== undefined,
    withoutTopology,
    gates: cluster.spec.availabilityGates ?? [],
    conditions: [...foreignConditions(view, desired), ...desired],
  });
  return setConditions(
    ownStatus(cluster.status).conditions,
    [...desired, condition("Available", available.status, available.reason, available.message)],
    now,
    cluster.metadata.generation,
  );
}

function foreignConditions(
  { cluster }: ClusterView,
  desired: readonly DesiredCondition[],
): readonly Condition[] {
  const own = new Set(desired.map(({ type }) => type));
  return (cluster.status?.conditions ?? []).filter(({ type }) => !own.has(type));
}

function deletingCondition({ deletion }: ClusterView): DesiredCondition {
  return deletion === undefined
    ? condition("Deleting", "False", "NotDeleting")
    : condition("Deleting", "True", deletion.reason, deletion.message);
}

function infrastructureProblems({ cluster, providers, domains }: ClusterView): readonly string[] {
  const owned = ownObject(cluster, providers.infrastructure);
  const flag = owned === undefined ? undefined : provisionedFlag(owned).problem;
  return [flag, domains.state === "malformed" ? domains.message : undefined].filter(isText);
}

function controlPlaneProblems({ cluster, providers }: ClusterView): readonly string[] {
  const owned = ownObject(cluster, providers.controlPlane);
  return [owned === undefined ? undefined : initializedFlag(owned).problem].filter(isText);
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}

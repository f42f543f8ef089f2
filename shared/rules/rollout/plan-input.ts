import type { MachineDeployment } from "../../api/machinedeployment.ts";
import type { MachineSet } from "../../api/machineset.ts";
import { isDeleting } from "../../function/guards.ts";
import { GETS_MACHINES, MOVES_MACHINES, REVISION } from "../machines/annotations.ts";
import { ROLLOUT_COUNTERS } from "../machines/worker-counters.ts";
import { plan } from "./plan.ts";
import type { Plan, PlanSet, PlanSpec } from "./plan-types.ts";

const PREFIX = "machinedeployment.clusters.x-k8s.io";
/** The annotation on a MachineSet with the former numbers of its template, a comma list. */
export const REVISION_HISTORY = `${PREFIX}/revision-history`;
/** The annotation on a MachineSet with the number of Machines that its deployment wants. */
export const DESIRED_REPLICAS = `${PREFIX}/desired-replicas`;
/** The annotation on a MachineSet that was made for a `spec.rollout.after`: its value. */
export const ROLLOUT_AFTER = "capstan.dev/rollout-after";

/** The fields of a MachineSet that `planSets` reads. */
export const PLANNED_FIELDS = [
  "metadata.deletionTimestamp",
  "metadata.generation",
  ...[REVISION, REVISION_HISTORY, DESIRED_REPLICAS, ROLLOUT_AFTER, MOVES_MACHINES, GETS_MACHINES].map(
    (key) => `metadata.annotations[${key}]` as const,
  ),
  "spec",
  ...ROLLOUT_COUNTERS,
  "status.observedGeneration",
] as const;

/** Returns the wish of a deployment. A count or strategy that is absent has its default. */
export function planSpec({ spec }: MachineDeployment): PlanSpec {
  const { replicas = 1, paused = false, rollout, template } = spec;
  const { type: strategy = "RollingUpdate", rollingUpdate } = rollout?.strategy ?? {};
  return {
    ...{ replicas, strategy, paused, ...rollingUpdate },
    after: instantOf(rollout?.after),
    rollout: template.spec,
  };
}

/** Returns the sets of a deployment, as the planner reads them. */
export function planSets(sets: readonly MachineSet[]): readonly PlanSet[] {
  return sets.map((set) => {
    const { name, annotations = {}, creationTimestamp, generation } = set.metadata;
    const {
      replicas = 0,
      availableReplicas = 0,
      upToDateReplicas = 0,
      observedGeneration,
    } = set.status ?? {};
    return {
      name,
      createdAt: instantOf(creationTimestamp) ?? 0,
      deleting: isDeleting(set),
      bornFor: instantOf(annotations[ROLLOUT_AFTER]),
      replicas: set.spec.replicas ?? 1,
      rollout: set.spec.template.spec,
      status: {
        replicas,
        available: availableReplicas,
        upToDate: upToDateReplicas,
        observed: observedGeneration !== undefined && observedGeneration === generation,
      },
      revision: annotations[REVISION],
      history: annotations[REVISION_HISTORY],
      desired: annotations[DESIRED_REPLICAS],
      held: Object.hasOwn(annotations, MOVES_MACHINES),
    };
  });
}

/** Returns what the rollout of a deployment does next, by the sets that it controls. */
export function planOf({
  deployment,
  sets,
  now,
}: {
  readonly deployment: MachineDeployment;
  readonly sets: readonly MachineSet[];
  readonly now: Date;
}): Plan {
  return plan(planSpec(deployment), planSets(sets), now.getTime());
}

function instantOf(time: string | undefined): number | undefined {
  const at = Date.parse(time ?? "");
  return Number.isNaN(at) ? undefined : at;
}

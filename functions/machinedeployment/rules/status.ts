import type { MachineDeploymentStatus } from "../../../shared/api/machinedeployment.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { done, requeueAfter, soonest, waitFor } from "../../../shared/function/result.ts";
import { setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { upToDateExpiresInMs } from "../../../shared/rules/machines/machine-conditions.ts";
import { staleExpiresInMs } from "../../../shared/rules/machines/stale-machines.ts";
import { selectorTextOf } from "../../../shared/rules/metadata/label-selector.ts";
import { deploymentProblem, selectorOf } from "../../../shared/rules/rollout/problems.ts";
import {
  isOverdue,
  overdueInMs,
  type Standstill,
  standstill,
} from "../../../shared/rules/rollout/standstill.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusReport } from "../../../shared/rules/status/report.ts";
import { deploymentConditionsOf, sizeOf } from "./conditions.ts";
import { deploymentCounters, deprecatedCounters } from "./counters.ts";
import { deploymentDeprecatedConditionsOf } from "./deprecated-conditions.ts";
import type { StatusView } from "./view.ts";

/** Returns what is said about a deployment that is not paused, whether it lives or is being deleted. */
export function deploymentReport(view: StatusView): StatusReport<MachineDeploymentStatus> {
  const { machines, now } = view;
  const status = deploymentStatus(view);
  const still = standstill(view);
  const timers = [
    [still?.isHeld === false ? overdueInMs(still, now) : undefined, "a rollout stands still"],
    [upToDateExpiresInMs(machines, now), "a Machine may still report UpToDate"],
    [staleExpiresInMs(machines, now), "the deletion of a Machine takes long"],
  ] as const;
  return {
    status,
    events: still !== undefined && isOverdue(still, now) ? [standstillNotice(still)] : [],
    result: [
      awaited(view),
      ...timers.map(([ms, why]) => (ms === undefined || ms === 0 ? done : requeueAfter(ms, why))),
    ].reduce(soonest),
  };
}

/** The cause is in the message: another one is another Event. */
function standstillNotice({ since, cause, next }: Standstill): Notice {
  const message = `the rollout stands still since ${since}: ${cause}; ${next}`;
  return { type: "Warning", reason: "RolloutStandsStill", message };
}

function awaited(view: StatusView) {
  const { deployment, blockers } = view;
  if (isDeleting(deployment)) return waitFor("MachineSet.metadata.uid");
  if (deploymentProblem(deployment) !== undefined) return waitFor("MachineDeployment.spec");
  const { present: have, wanted = 0 } = sizeOf(view);
  if (have >= wanted) return done;
  return waitFor(
    blockers.length === 0 ? "MachineSet.status.replicas" : `MachineDeployment: ${blockers.join("; ")}`,
  );
}

/** Returns the complete status: what has no new value is carried on, so that no apply loses a field. */
function deploymentStatus(view: StatusView): MachineDeploymentStatus {
  const { deployment, sets, now, settled } = view;
  const { status: previous, metadata } = deployment;
  // Counters that no set has are absent.
  const { conditions, observedGeneration, deprecated } = previous ?? {};
  return {
    ...present("selector", selectorTextOf(selectorOf(deployment))),
    ...deploymentCounters(sets),
    phase: phaseOf(view),
    conditions: setConditions(conditions, deploymentConditionsOf(view), now, metadata.generation),
    ...present("observedGeneration", settled ? metadata.generation : observedGeneration),
    deprecated: {
      v1beta1: {
        ...deprecated?.v1beta1,
        ...deprecatedCounters(view),
        conditions: deploymentDeprecatedConditionsOf(view),
      },
    },
  };
}

/** Compares numbers only, as upstream: one whose Machines exist and are not ready is Running. */
function phaseOf(view: StatusView): NonNullable<MachineDeploymentStatus["phase"]> {
  const { present: have, wanted } = sizeOf(view);
  if (wanted === undefined) return "Unknown";
  if (isDeleting(view.deployment) || have > wanted) return "ScalingDown";
  return have === wanted ? "Running" : "ScalingUp";
}

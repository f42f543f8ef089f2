import { MachineDeployment, MachineSet } from "../../shared/api/entry.ts";
import type { MachineDeploymentStatus } from "../../shared/api/machinedeployment.ts";
import {
  defineFunction,
  guarded,
  hasClusterWhileLiving,
  SECOND,
  unpaused,
} from "../../shared/function/define-function.ts";
import { FLOORS, heldBack, isRollingOut, UNSETTLED } from "../../shared/rules/entry.ts";
import { pausedStatus } from "../../shared/rules/status/paused-status.ts";
import { DEPLOYMENT_FINALIZER } from "./rules/guard.ts";
import { deploymentReport } from "./rules/status.ts";
import { readStatusView } from "./rules/view.ts";
import { STATUS_WATCHES } from "./rules/watches.ts";
import { deploymentWritesDue } from "./rules/writes-due.ts";

export const machinedeploymentStatus = defineFunction(
  {
    name: "machinedeployment-status",
    summary: "Computes the status of a MachineDeployment: selector, counters, versions, conditions, phase.",
    source: "core/reconcilers/machinedeployment/machinedeployment_status.go",
    reconciles: MachineDeployment,
    when: [hasClusterWhileLiving, guarded(DEPLOYMENT_FINALIZER, { isIdle: false }), unpaused],
    whilePaused: (deployment, { cluster, now }) => ({
      apply: { status: pausedStatus<MachineDeploymentStatus>(deployment, cluster, now) },
    }),
    settles: true,
    watches: STATUS_WATCHES,
    owns: ["status"],
    // Their times say when a rollout made its last progress, which shows in counters.
    reads: [{ on: MachineSet, fields: ["status.conditions"] }],
    queue: { settleMs: 50, minIntervalMs: SECOND },
  },
  async (deployment, { read, now, cluster }) => {
    const unsettled = { object: deployment, isDue: () => deploymentWritesDue(deployment, cluster) };
    const held = heldBack([UNSETTLED], unsettled, now);
    if (held !== undefined) return held;

    const { status, events, result } = deploymentReport(
      await readStatusView({ read, now }, deployment, cluster),
    );
    const floor = isRollingOut(status) ? { notBeforeMs: FLOORS.rollout } : {};
    return { apply: { status }, events, ...floor, result };
  },
);

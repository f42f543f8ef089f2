import { MachineHealthCheck } from "../../shared/api/entry.ts";
import { RemediationRequest, RemediationTemplate } from "../../shared/contract/entry.ts";
import {
  checksOfNamesake,
  defineFunction,
  hasCluster,
  itself,
  referencing,
  SECOND,
  unpaused,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import { heldBack, REFUSED_FIELDS, UNSETTLED } from "../../shared/rules/entry.ts";
import { GUARDED_FIELDS } from "./rules/guard.ts";
import { checkReport, floorMs, pausedCheckStatus } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { SCENE_WATCHES } from "./rules/watches.ts";
import { checkWritesDue } from "./rules/writes-due.ts";

export const mhcStatus = defineFunction(
  {
    name: "mhc-status",
    summary: "Computes the status of a MachineHealthCheck: targets, counters, conditions.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go",
    reconciles: MachineHealthCheck,
    when: [hasCluster, unpaused],
    whilePaused: (check, { cluster, now }) => ({ apply: { status: pausedCheckStatus(check, cluster, now) } }),
    settles: true,
    watches: [
      SCENE_WATCHES,
      watch(MachineHealthCheck, [...GUARDED_FIELDS, ...REFUSED_FIELDS, "status"], itself),
      watchContract(RemediationTemplate, ["metadata.uid"], referencing),
      watchContract(RemediationRequest, ["metadata.uid"], checksOfNamesake),
    ],
    owns: ["status"],
    queue: { settleMs: 100, minIntervalMs: SECOND },
  },
  async (check, { read, now, cluster }) => {
    const isDue = checkWritesDue(check, cluster);
    const held = heldBack([UNSETTLED], { object: check, isDue: () => isDue }, now);
    if (held !== undefined) return held;

    const view = await readView({ read, now }, check, cluster, !isDue);
    const { status, events, result } = checkReport(view);
    return { apply: { status }, events, notBeforeMs: floorMs(view), result };
  },
);

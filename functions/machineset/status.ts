import { Machine, MachineSet, SET_FINALIZER } from "../../shared/api/entry.ts";
import type { MachineSetStatus } from "../../shared/api/machineset.ts";
import {
  defineFunction,
  guarded,
  hasClusterWhileLiving,
  SECOND,
  unpaused,
} from "../../shared/function/define-function.ts";
import { heldBack, UNSETTLED } from "../../shared/rules/entry.ts";
import { pausedStatus } from "../../shared/rules/status/paused-status.ts";
import { GROUP } from "./rules/pace.ts";
import { setReport } from "./rules/status.ts";
import { readStatusView } from "./rules/view.ts";
import { STATUS_WATCHES } from "./rules/watches.ts";
import { setWritesDue } from "./rules/writes-due.ts";

export const machinesetStatus = defineFunction(
  {
    name: "machineset-status",
    summary: "Computes the status of a MachineSet: selector, counters, versions, conditions.",
    source: "core/reconcilers/machineset/machineset_controller_status.go",
    reconciles: MachineSet,
    when: [hasClusterWhileLiving, guarded(SET_FINALIZER, { isIdle: false }), unpaused],
    whilePaused: (set, { cluster, now }) => ({
      apply: { status: pausedStatus<MachineSetStatus>(set, cluster, now) },
    }),
    settles: true,
    watches: STATUS_WATCHES,
    owns: ["status"],
    reads: [{ on: Machine, fields: ["spec.clusterName"] }],
    // Names are reserved and Machines made within the first time: a status before would change the version that they test.
    // The second is the beat of a rollout, which falls apart into steps of single Machines with a shorter one.
    queue: { settleMs: 300, minIntervalMs: 2 * SECOND },
  },
  async (set, { read, now, cluster }) => {
    const unsettled = { object: set, isDue: () => setWritesDue(set, cluster) };
    const held = heldBack([UNSETTLED], unsettled, now);
    if (held !== undefined) return held;

    const view = await readStatusView({ read, now }, set, cluster);
    const group = heldBack([GROUP], view, now);
    if (group !== undefined) return group;

    const { status, events, result } = setReport(view);
    return { apply: { status }, events, result };
  },
);

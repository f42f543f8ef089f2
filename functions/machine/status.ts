import { MACHINE_FINALIZER, Machine } from "../../shared/api/entry.ts";
import {
  defineFunction,
  guarded,
  hasCluster,
  SECOND,
  turn,
  unpaused,
} from "../../shared/function/define-function.ts";
import { heldBack, MARK_FIELDS } from "../../shared/rules/entry.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { PROVIDER_ID } from "./rules/infrastructure.ts";
import { AFTER_VIEW, BEFORE_VIEW } from "./rules/pace.ts";
import { readProviders } from "./rules/reads.ts";
import { writtenPause, writtenReport } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { VIEW_WATCHES } from "./rules/watches.ts";

export const machineStatus = defineFunction(
  {
    name: "machine-status",
    summary: "Computes the status of a Machine: Node, addresses, conditions, phase.",
    source: "core/reconcilers/machine/machine_controller_status.go",
    reconciles: Machine,
    when: [hasCluster, guarded(MACHINE_FINALIZER), unpaused],
    whilePaused: (machine, { cluster, now }) => writtenPause(machine, cluster, now),
    settles: true,
    watches: VIEW_WATCHES,
    owns: ["status"],
    inTurnWith: [
      turn(
        ["machinepool-remediate", "machineset-remediate"],
        Machine,
        MARK_FIELDS,
        "machine-status leaves this condition out of its apply, always",
      ),
    ],
    contested: [DATA_SECRET_NAME, PROVIDER_ID],
    queue: { settleMs: 100, minIntervalMs: SECOND },
  },
  async (machine, { read, now, cluster }) => {
    const providers = await readProviders(read, machine);
    const held = heldBack(BEFORE_VIEW, { machine, cluster, providers }, now);
    if (held !== undefined) return held;
    const view = await readView({ read, now }, machine, cluster, providers);
    return heldBack(AFTER_VIEW, view, now) ?? writtenReport(view);
  },
);

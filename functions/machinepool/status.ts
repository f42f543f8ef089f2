import { MachinePool } from "../../shared/api/entry.ts";
import {
  defineFunction,
  guarded,
  hasCluster,
  isDeleting,
  SECOND,
  unpaused,
} from "../../shared/function/define-function.ts";
import { FLOORS, heldBack, UNSETTLED } from "../../shared/rules/entry.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import { readProviders } from "./rules/reads.ts";
import { deletingPoolReport, pausedPoolStatus, poolReport } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { VIEW_WATCHES } from "./rules/watches.ts";
import { poolWritesDue } from "./rules/writes-due.ts";

export const machinepoolStatus = defineFunction(
  {
    name: "machinepool-status",
    summary: "Computes the status of a MachinePool: refs, counters, conditions, phase.",
    source: "core/reconcilers/machinepool/machinepool_controller_status.go",
    reconciles: MachinePool,
    when: [hasCluster, guarded(POOL_FINALIZER), unpaused],
    whilePaused: (pool, { cluster, now }) => ({ apply: { status: pausedPoolStatus(pool, cluster, now) } }),
    settles: true,
    watches: VIEW_WATCHES,
    owns: ["status"],
    contested: [DATA_SECRET_NAME],
    queue: { settleMs: 50, minIntervalMs: SECOND },
  },
  async (pool, { read, now, cluster }) => {
    const providers = await readProviders(read, pool);
    if (isDeleting(pool)) {
      const { status, events, result } = deletingPoolReport({ pool, cluster, providers, now });
      return { apply: { status }, events, notBeforeMs: FLOORS.deletedPool, result };
    }
    const unsettled = { object: pool, isDue: () => poolWritesDue(pool, cluster, providers) };
    const held = heldBack([UNSETTLED], unsettled, now);
    if (held !== undefined) return held;

    const { status, events, result } = poolReport(await readView({ read, now }, pool, cluster, providers));
    return { apply: { status }, events, result };
  },
);

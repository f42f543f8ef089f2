import { MachinePool, refTo } from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  HOLD_FIELDS,
  hasCluster,
  isAtRest,
  itself,
  watch,
} from "../../shared/function/define-function.ts";
import { SIZE_FIELDS } from "../../shared/rules/entry.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { GUARDED_FIELDS, poolGuardPatch } from "./rules/guard.ts";
import { poolViolations } from "./rules/violations.ts";

export const machinepoolGuard = defineFunction(
  {
    name: "machinepool-guard",
    summary:
      "Makes a MachinePool safe to work on: finalizer, cluster label, Cluster owner reference, defaults.",
    source: "core/reconcilers/machinepool/machinepool_controller.go",
    reconciles: MachinePool,
    when: [hasCluster],
    settles: true,
    watches: [
      watch(
        MachinePool,
        [
          ...HOLD_FIELDS,
          ...GUARDED_FIELDS,
          ...SIZE_FIELDS,
          "spec.template.metadata",
          "spec.template.spec.bootstrap.configRef",
          "spec.template.spec.clusterName",
          "spec.template.spec.taints",
          "spec.template.spec.version",
        ],
        itself,
      ),
    ],
    ownsOn: [{ kind: MachinePool, fields: GUARDED_FIELDS }],
    reads: [{ on: MachinePool, fields: ["status.replicas", DATA_SECRET_NAME] }],
  },
  async (pool, { cluster }) => ({
    patch: [{ target: refTo(MachinePool, pool), operations: poolGuardPatch(pool, cluster) }],
    events: isAtRest(pool, cluster) ? [] : poolViolations(pool),
    result: done,
  }),
);

import { MachineHealthCheck, refTo } from "../../shared/api/entry.ts";
import {
  awake,
  defineFunction,
  done,
  hasCluster,
  itself,
  watch,
} from "../../shared/function/define-function.ts";
import { CHECKED_FIELDS, GUARDED_FIELDS, healthCheckGuardPatch } from "./rules/guard.ts";

export const mhcGuard = defineFunction(
  {
    name: "mhc-guard",
    summary: "Makes a MachineHealthCheck safe to work on: cluster label, Cluster owner reference, defaults.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go",
    reconciles: MachineHealthCheck,
    when: [hasCluster, awake],
    settles: true,
    watches: [watch(MachineHealthCheck, [...GUARDED_FIELDS, ...CHECKED_FIELDS], itself)],
    ownsOn: [{ kind: MachineHealthCheck, fields: GUARDED_FIELDS }],
  },
  async (check, { cluster }) => {
    const operations = healthCheckGuardPatch(check, cluster);
    return { patch: [{ target: refTo(MachineHealthCheck, check), operations }], result: done };
  },
);

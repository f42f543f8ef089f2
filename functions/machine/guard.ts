import { Machine, refTo } from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  HOLD_FIELDS,
  hasCluster,
  isAtRest,
  itself,
  turn,
  watch,
} from "../../shared/function/define-function.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/entry.ts";
import { GUARDED_FIELDS, machineGuardPatch, OWNER_LABEL_FIELDS } from "./rules/guard.ts";
import { machineViolations } from "./rules/violations.ts";

const BY_OWNER =
  "an owner makes its Machines so that the guard has nothing to add there, and keeps its additions";

export const machineGuard = defineFunction(
  {
    name: "machine-guard",
    summary: "Makes a Machine safe to work on: finalizer, cluster label, Cluster owner reference, default.",
    source: "core/reconcilers/machine/machine_controller.go",
    reconciles: Machine,
    actsOn: "living",
    when: [hasCluster],
    settles: true,
    watches: [
      watch(
        Machine,
        ["metadata.uid", ...HOLD_FIELDS, ...GUARDED_FIELDS, "spec.bootstrap.configRef", "spec.version"],
        itself,
      ),
    ],
    // The name of the data comes once for every Machine, and nothing is due then. A resync reports that it is gone.
    reads: [{ on: Machine, fields: [...OWNER_LABEL_FIELDS, "spec.bootstrap.dataSecretName"] }],
    ownsOn: [{ kind: Machine, fields: GUARDED_FIELDS }],
    inTurnWith: [
      turn(["machinepool-machines", "machineset-machines"], Machine, ADOPTED_FIELDS, BY_OWNER),
      turn(
        "machineset-machines",
        Machine,
        "spec.deletion.nodeDeletionTimeoutSeconds",
        "the guard writes it only where it is absent, and a set never makes it absent",
      ),
    ],
  },
  async (machine, { cluster }) => ({
    patch: [{ target: refTo(Machine, machine), operations: machineGuardPatch(machine, cluster) }],
    events: isAtRest(machine, cluster) ? [] : machineViolations(machine),
    result: done,
  }),
);

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, isAtRest, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
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
    watches: [
      watch(
        Machine,
        ["metadata.uid", ...HOLD_FIELDS, ...GUARDED_FIELDS, "spec.bootstrap.configRef", "spec.version"],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    // The name of the data comes once for every Machine, and nothing is due then. A resync reports that it is gone.
    reads: [{ on: Machine, fields: [...OWNER_LABEL_FIELDS, "spec.bootstrap.dataSecretName"] }],
    owns: [],
    ownsOn: [{ kind: Machine, fields: GUARDED_FIELDS }],
    inTurnWith: [
      ...["machinepool-machines", "machineset-machines"].flatMap((name) =>
        ADOPTED_FIELDS.map((field) => ({ function: name, on: Machine, field, reason: BY_OWNER })),
      ),
      {
        function: "machineset-machines",
        on: Machine,
        field: "spec.deletion.nodeDeletionTimeoutSeconds",
        reason: "the guard writes it only where it is absent, and a set never makes it absent",
      },
      {
        function: "machine-delete",
        on: Machine,
        field: "metadata.finalizers",
        reason: "the guard adds the finalizer before the deletion, machine-delete removes it at the end",
      },
    ],
  },
  async (machine, { read }) => {
    const cluster = await readCluster(read, machine);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    return {
      patch: [{ target: refTo(Machine, machine), operations: machineGuardPatch(machine, cluster) }],
      events: isAtRest(machine, cluster) ? [] : machineViolations(machine),
      result: done,
    };
  },
);

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachine } from "../../shared/contract/infra-machine.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { BOOTSTRAP_FIELDS } from "../../shared/rules/providers/bootstrap-data.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { isUnguarded, machineHold } from "./rules/hold.ts";
import { INFRASTRUCTURE_FIELDS } from "./rules/infrastructure.ts";
import { REFERENCE_FIELDS, readProviders } from "./rules/reads.ts";
import { COPIED_FIELDS, desiredMachineSpec, machineSpecAwaits, machineSpecPatch } from "./rules/spec.ts";

export const machineSync = defineFunction(
  {
    name: "machine-sync",
    summary: "Copies bootstrap data secret name, provider ID and failure domain into a Machine.",
    source: "core/reconcilers/machine/machine_controller_phases.go",
    reconciles: Machine,
    actsOn: "living",
    isIdle: isUnguarded,
    watches: [
      watch(Machine, ["metadata.uid", ...HOLD_FIELDS, ...REFERENCE_FIELDS, ...COPIED_FIELDS], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(BootstrapConfig, [...OWN_FIELDS, ...BOOTSTRAP_FIELDS], referencing),
      watchContract(InfraMachine, [...OWN_FIELDS, ...INFRASTRUCTURE_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    // When the latch comes, what it keeps has been copied.
    reads: [{ on: Machine, fields: ["status.initialization.infrastructureProvisioned"] }],
    owns: [],
    ownsOn: [{ kind: Machine, fields: COPIED_FIELDS }],
    inTurnWith: [
      {
        function: "machinepool-machines",
        on: Machine,
        field: DATA_SECRET_NAME,
        reason: "a pool's Machine has no configRef, so that this function has no name for it",
      },
    ],
    contested: [DATA_SECRET_NAME],
    // adopt's two writes, and what a provider says of its two objects, come within this time.
    queue: { settleMs: 80 },
  },
  async (machine, { read }) => {
    const hold = machineHold(machine, await readCluster(read, machine));
    if (hold !== undefined) return { result: hold };

    const providers = await readProviders(read, machine);
    const desired = desiredMachineSpec(machine, providers);
    const awaits = machineSpecAwaits(machine, providers);
    return {
      patch: [{ target: refTo(Machine, machine), operations: machineSpecPatch(machine, desired) }],
      result: awaits === undefined ? done : waitFor(awaits),
    };
  },
);

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachine } from "../../shared/contract/infra-machine.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { CONTROL_PLANE_FIELDS } from "../../shared/rules/machines/control-plane-machine.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { adopt } from "../../shared/rules/providers/adopt.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { CLAIM_FIELDS, machineClaim } from "./rules/adoption.ts";
import { isUnguarded, machineHold } from "./rules/hold.ts";
import { providersOf } from "./rules/providers.ts";
import { REFERENCE_FIELDS, readProviders } from "./rules/reads.ts";

export const machineAdopt = defineFunction(
  {
    name: "machine-adopt",
    summary: "Makes a Machine the controller of its bootstrap config and infrastructure machine.",
    source: "core/reconcilers/machine/machine_controller_phases.go",
    reconciles: Machine,
    actsOn: "living",
    isIdle: isUnguarded,
    watches: [
      watch(Machine, ["metadata.uid", ...HOLD_FIELDS, ...CONTROL_PLANE_FIELDS, ...REFERENCE_FIELDS], itself),
      watch(Cluster, [...PAUSING_FIELDS, ...CLAIM_FIELDS], inCluster),
      watchContract(BootstrapConfig, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watchContract(InfraMachine, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: BootstrapConfig, fields: ADOPTED_FIELDS },
      { kind: InfraMachine, fields: ADOPTED_FIELDS },
    ],
    inTurnWith: [
      ...[BootstrapConfig, InfraMachine].map((on) => ({
        function: "machineset-machines",
        on,
        field: "metadata.labels[cluster.x-k8s.io/cluster-name]",
        reason: "a set makes its objects with this label, and patches only keys of its template later",
      })),
      ...ADOPTED_FIELDS.map((field) => ({
        function: "machinepool-adopt",
        on: BootstrapConfig,
        field,
        reason: "an object has one controller, and each of the two leaves alone what the other controls",
      })),
    ],
    blocks: [Machine],
  },
  async (machine, { read }) => {
    const cluster = await readCluster(read, machine);
    const hold = machineHold(machine, cluster);
    if (hold !== undefined) return { result: hold };

    const providers = providersOf(machine, await readProviders(read, machine));
    const claim = machineClaim(machine, cluster);
    return adopt(read.live, { kind: Machine, object: machine, claim }, providers);
  },
);

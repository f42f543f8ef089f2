import { Cluster, MACHINE_FINALIZER, Machine } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachine } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  inCluster,
  itself,
  turn,
  watch,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import { ADOPTED_FIELDS, adopt, REFERENCE_FIELDS } from "../../shared/rules/entry.ts";
import { CONTROL_PLANE_FIELDS } from "../../shared/rules/machines/control-plane-machine.ts";
import { CLAIM_FIELDS, machineClaim } from "./rules/adoption.ts";
import { providersOf } from "./rules/providers.ts";
import { readProviders } from "./rules/reads.ts";

export const machineAdopt = defineFunction(
  {
    name: "machine-adopt",
    summary: "Makes a Machine the controller of its bootstrap config and infrastructure machine.",
    source: "core/reconcilers/machine/machine_controller_phases.go",
    reconciles: Machine,
    actsOn: "living",
    when: workable(MACHINE_FINALIZER),
    settles: true,
    watches: [
      watch(Machine, ["metadata.uid", ...CONTROL_PLANE_FIELDS, ...REFERENCE_FIELDS], itself),
      watch(Cluster, CLAIM_FIELDS, inCluster),
      watchReferenced([BootstrapConfig, ADOPTED_FIELDS], [InfraMachine, ADOPTED_FIELDS]),
    ],
    ownsOn: [
      { kind: BootstrapConfig, fields: ADOPTED_FIELDS },
      { kind: InfraMachine, fields: ADOPTED_FIELDS },
    ],
    inTurnWith: [
      ...[BootstrapConfig, InfraMachine].map((on) =>
        turn(
          "machineset-machines",
          on,
          "metadata.labels[cluster.x-k8s.io/cluster-name]",
          "a set makes its objects with this label, and patches only keys of its template later",
        ),
      ),
      turn(
        "machinepool-adopt",
        BootstrapConfig,
        ADOPTED_FIELDS,
        "an object has one controller, and each of the two leaves alone what the other controls",
      ),
    ],
    clusterMayLag: true,
    blocks: [Machine],
  },
  async (machine, { read, live, cluster }) => {
    const providers = providersOf(machine, await readProviders(read, machine));
    const claim = machineClaim(machine, cluster);
    return adopt({ object: machine, live, claim }, providers);
  },
);

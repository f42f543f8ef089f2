import { MachinePool } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachinePool } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  itself,
  watch,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import { ADOPTED_FIELDS, adopt } from "../../shared/rules/entry.ts";
import { poolClaim } from "./rules/adoption.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import { providersOf } from "./rules/providers.ts";
import { readProviders, TEMPLATE_REFERENCE_FIELDS } from "./rules/reads.ts";

export const machinepoolAdopt = defineFunction(
  {
    name: "machinepool-adopt",
    summary: "Makes a MachinePool the controller of its bootstrap and infrastructure object.",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
    reconciles: MachinePool,
    actsOn: "living",
    when: workable(POOL_FINALIZER),
    settles: true,
    watches: [
      watch(MachinePool, ["metadata.uid", ...TEMPLATE_REFERENCE_FIELDS], itself),
      watchReferenced([BootstrapConfig, ADOPTED_FIELDS], [InfraMachinePool, ADOPTED_FIELDS]),
    ],
    ownsOn: [
      { kind: BootstrapConfig, fields: ADOPTED_FIELDS },
      { kind: InfraMachinePool, fields: ADOPTED_FIELDS },
    ],
    clusterMayLag: true,
    blocks: [MachinePool],
  },
  async (pool, { read, live }) => {
    const providers = providersOf(pool, await readProviders(read, pool));
    return adopt({ object: pool, live, claim: poolClaim(pool) }, providers);
  },
);

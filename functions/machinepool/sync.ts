import { MachinePool, refTo } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachinePool } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  itself,
  waitFor,
  watch,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import { BOOTSTRAP_FIELDS, OWN_FIELDS } from "../../shared/rules/entry.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import { INFRASTRUCTURE_FIELDS } from "./rules/infrastructure.ts";
import { readProviders } from "./rules/reads.ts";
import { desiredPoolSpec, poolSpecAwaits, poolSpecPatch } from "./rules/spec.ts";

export const machinepoolSync = defineFunction(
  {
    name: "machinepool-sync",
    summary: "Copies the bootstrap data secret name and the provider ID list into a MachinePool.",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
    reconciles: MachinePool,
    actsOn: "living",
    when: workable(POOL_FINALIZER),
    settles: true,
    watches: [
      // All of it: what keeps the API server from taking a write to the template may stand anywhere in it.
      watch(MachinePool, ["spec.template.spec", "spec.providerIDList"], itself),
      watchReferenced(
        [BootstrapConfig, [...OWN_FIELDS, ...BOOTSTRAP_FIELDS]],
        [InfraMachinePool, [...OWN_FIELDS, ...INFRASTRUCTURE_FIELDS]],
      ),
    ],
    ownsOn: [{ kind: MachinePool, fields: [DATA_SECRET_NAME, "spec.providerIDList"] }],
    contested: [DATA_SECRET_NAME],
    // adopt's two writes come back within this time.
    queue: { settleMs: 50 },
  },
  async (pool, { read }) => {
    const providers = await readProviders(read, pool);
    const desired = desiredPoolSpec(pool, providers);
    const awaits = poolSpecAwaits(pool, providers);
    return {
      patch: [{ target: refTo(MachinePool, pool), operations: poolSpecPatch(pool, desired) }],
      result: awaits === undefined ? done : waitFor(awaits),
    };
  },
);

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { BOOTSTRAP_FIELDS } from "../../shared/rules/providers/bootstrap-data.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { isUnguarded, poolHold } from "./rules/hold.ts";
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
    isIdle: isUnguarded,
    watches: [
      watch(
        MachinePool,
        [
          ...HOLD_FIELDS, // All of it: what keeps the API server from taking a write to the template may stand anywhere in it.
          "spec.template.spec",
          "spec.providerIDList",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(BootstrapConfig, [...OWN_FIELDS, ...BOOTSTRAP_FIELDS], referencing),
      watchContract(InfraMachinePool, [...OWN_FIELDS, ...INFRASTRUCTURE_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: [DATA_SECRET_NAME, "spec.providerIDList"] }],
    contested: [DATA_SECRET_NAME],
    // adopt's two writes come back within this time.
    queue: { settleMs: 50 },
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };

    const providers = await readProviders(read, pool);
    const desired = desiredPoolSpec(pool, providers);
    const awaits = poolSpecAwaits(pool, providers);
    return {
      patch: [{ target: refTo(MachinePool, pool), operations: poolSpecPatch(pool, desired) }],
      result: awaits === undefined ? done : waitFor(awaits),
    };
  },
);

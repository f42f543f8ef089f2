import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { adopt } from "../../shared/rules/providers/adopt.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { poolClaim } from "./rules/adoption.ts";
import { isUnguarded, poolHold } from "./rules/hold.ts";
import { providersOf } from "./rules/providers.ts";
import { readProviders } from "./rules/reads.ts";

export const machinepoolAdopt = defineFunction(
  {
    name: "machinepool-adopt",
    summary: "Makes a MachinePool the controller of its bootstrap and infrastructure object.",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
    reconciles: MachinePool,
    actsOn: "living",
    isIdle: isUnguarded,
    watches: [
      watch(
        MachinePool,
        [
          "metadata.uid",
          ...HOLD_FIELDS,
          "spec.template.spec.bootstrap.configRef",
          "spec.template.spec.infrastructureRef",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(BootstrapConfig, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watchContract(InfraMachinePool, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: BootstrapConfig, fields: ADOPTED_FIELDS },
      { kind: InfraMachinePool, fields: ADOPTED_FIELDS },
    ],
    blocks: [MachinePool],
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };

    const providers = providersOf(pool, await readProviders(read, pool));
    return adopt(read.live, { kind: MachinePool, object: pool, claim: poolClaim(pool) }, providers);
  },
);

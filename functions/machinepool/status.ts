import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  itself,
  poolOfMachine,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import { waitFor } from "../../shared/function/result.ts";
import { mirroredFields } from "../../shared/rules/conditions/conditions.ts";
import { DEPRECATED_CONDITIONS } from "../../shared/rules/conditions/deprecated-conditions.ts";
import { MACHINE_CONDITION_FIELDS } from "../../shared/rules/machines/machine-conditions.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { REFUSED_FIELDS } from "../../shared/rules/metadata/refused-write.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { BOOTSTRAP_FIELDS } from "../../shared/rules/providers/bootstrap-data.ts";
import { FAILURE_FIELDS } from "../../shared/rules/providers/failures.ts";
import { MANAGED_FIELDS } from "../../shared/rules/providers/replicas-managed.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { KUBELET_FIELDS } from "./rules/counters.ts";
import { isUnguarded, poolUnguarded } from "./rules/hold.ts";
import { INFRASTRUCTURE_FIELDS } from "./rules/infrastructure.ts";
import { MACHINE_KIND_FIELDS, OWN_MACHINE_FIELDS } from "./rules/machines.ts";
import { NODE_REPORT_FIELDS } from "./rules/nodes.ts";
import { readProviders } from "./rules/reads.ts";
import { deletingPoolReport, pausedPoolStatus, poolReport } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { poolWritesDue } from "./rules/writes-due.ts";

const PROVIDER_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...ADOPTED_FIELDS,
  ...FAILURE_FIELDS,
  ...mirroredFields("Ready"),
  DEPRECATED_CONDITIONS,
];

export const machinepoolStatus = defineFunction(
  {
    name: "machinepool-status",
    summary: "Computes the status of a MachinePool: refs, counters, conditions, phase.",
    source: "core/reconcilers/machinepool/machinepool_controller_status.go",
    reconciles: MachinePool,
    isIdle: isUnguarded,
    watches: [
      watch(
        MachinePool,
        [...HOLD_FIELDS, ...ADOPTED_FIELDS, ...MANAGED_FIELDS, ...REFUSED_FIELDS, "spec", "status"],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(BootstrapConfig, [...PROVIDER_FIELDS, ...BOOTSTRAP_FIELDS], referencing),
      watchContract(
        InfraMachinePool,
        [...PROVIDER_FIELDS, ...INFRASTRUCTURE_FIELDS, ...MACHINE_KIND_FIELDS],
        referencing,
      ),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      watch(Node, [...NODE_REPORT_FIELDS, ...KUBELET_FIELDS], claimantsOfNode),
      watch(
        Machine,
        [...OWN_MACHINE_FIELDS, "spec.version", ...KUBELET_FIELDS, ...MACHINE_CONDITION_FIELDS],
        poolOfMachine,
      ),
      watch(Connection, [...COMPLETE_VIEW_FIELDS, "status.message"], inCluster),
    ],
    owns: ["status"],
    contested: [DATA_SECRET_NAME],
    queue: { settleMs: 50, minIntervalMs: SECOND },
  },
  async (pool, context) => {
    const { read, now } = context;
    const cluster = await readCluster(read, pool);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const unready = poolUnguarded(pool);
    if (unready !== undefined) return { result: unready };
    const pause = pausedBy(cluster, pool);
    if (pause !== undefined) {
      return { apply: { status: pausedPoolStatus(pool, cluster, now) }, result: waitFor(pause) };
    }

    const providers = await readProviders(read, pool);
    if (isDeleting(pool)) {
      const { status, events, result } = deletingPoolReport({ pool, cluster, providers, now });
      return { apply: { status }, events, notBeforeMs: 5 * SECOND, result };
    }
    const held = heldBack(pool, now);
    if (held !== undefined && poolWritesDue(pool, cluster, providers)) return { result: held };

    const { status, events, result } = poolReport(await readView(context, pool, cluster, providers));
    return { apply: { status }, events, result };
  },
);

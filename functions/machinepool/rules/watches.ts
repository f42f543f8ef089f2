import { Connection, Node } from "../../../shared/api/core.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../../shared/contract/infra-machine-pool.ts";
import {
  claimantsOfNode,
  inCluster,
  itself,
  poolOfMachine,
  watch,
  watchReferenced,
} from "../../../shared/function/define-function.ts";
import { mirroredFields } from "../../../shared/rules/conditions/conditions.ts";
import { DEPRECATED_CONDITIONS } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { MACHINE_CONDITION_FIELDS } from "../../../shared/rules/machines/machine-conditions.ts";
import { REFUSED_FIELDS } from "../../../shared/rules/metadata/refused-write.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { BOOTSTRAP_FIELDS } from "../../../shared/rules/providers/bootstrap-data.ts";
import { FAILURE_FIELDS } from "../../../shared/rules/providers/failures.ts";
import { MANAGED_FIELDS } from "../../../shared/rules/providers/replicas-managed.ts";
import { COMPLETE_VIEW_FIELDS } from "../../../shared/rules/workload/complete-view.ts";
import { KUBELET_FIELDS } from "./counters.ts";
import { INFRASTRUCTURE_FIELDS } from "./infrastructure.ts";
import { MACHINE_KIND_FIELDS, OWN_MACHINE_FIELDS } from "./machines.ts";
import { NODE_REPORT_FIELDS } from "./nodes.ts";

const PROVIDER_FIELDS = [
  "metadata.deletionTimestamp",
  ...ADOPTED_FIELDS,
  ...FAILURE_FIELDS,
  ...mirroredFields("Ready"),
  DEPRECATED_CONDITIONS,
];

/** Watches of everything that the status shows. */
export const VIEW_WATCHES = [
  watch(MachinePool, [...ADOPTED_FIELDS, ...MANAGED_FIELDS, ...REFUSED_FIELDS, "spec", "status"], itself),
  watchReferenced(
    [BootstrapConfig, [...PROVIDER_FIELDS, ...BOOTSTRAP_FIELDS]],
    [InfraMachinePool, [...PROVIDER_FIELDS, ...INFRASTRUCTURE_FIELDS, ...MACHINE_KIND_FIELDS]],
  ),
  watch(Node, [...NODE_REPORT_FIELDS, ...KUBELET_FIELDS], claimantsOfNode),
  watch(
    Machine,
    [...OWN_MACHINE_FIELDS, "spec.version", ...KUBELET_FIELDS, ...MACHINE_CONDITION_FIELDS],
    poolOfMachine,
  ),
  watch(Connection, [...COMPLETE_VIEW_FIELDS, "status.message"], inCluster),
];

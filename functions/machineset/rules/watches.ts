import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import { ControlPlane } from "../../../shared/contract/control-plane.ts";
import { InfraMachine } from "../../../shared/contract/infra-machine.ts";
import {
  BootstrapTemplate,
  InfraMachineTemplate,
  TEMPLATE_PATH,
} from "../../../shared/contract/machine-templates.ts";
import {
  inCluster,
  inClusterReferencing,
  itself,
  setsOfMachine,
  watch,
  watchContract,
  watchReferenced,
} from "../../../shared/function/define-function.ts";
import { DEPRECATED_CONDITIONS } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { CLONED_FROM_FIELDS } from "../../../shared/rules/machines/clones.ts";
import { DELETION_ORDER_FIELDS } from "../../../shared/rules/machines/deletion-order.ts";
import { IN_PLACE_FIELDS } from "../../../shared/rules/machines/in-place.ts";
import {
  MACHINE_CONDITION_FIELDS,
  REMEDIATION_FIELDS,
} from "../../../shared/rules/machines/machine-conditions.ts";
import {
  PREFLIGHT_CLUSTER_FIELDS,
  PREFLIGHT_FIELDS,
  SKIP_FIELDS,
} from "../../../shared/rules/machines/preflight.ts";
import { RESERVATION_FIELDS } from "../../../shared/rules/machines/reservation.ts";
import { STALE_FIELDS } from "../../../shared/rules/machines/stale-machines.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { REFUSED_FIELDS } from "../../../shared/rules/metadata/refused-write.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { COUNTER_FIELDS } from "./counters.ts";
import { SET_MACHINE_FIELDS } from "./reads.ts";
import { SCALING_FIELDS } from "./scaling.ts";

const OBJECT_FIELDS = ["metadata.uid", "metadata.labels", ...OWNER_FIELDS, ...CLONED_FROM_FIELDS];

/** Watches of everything that decides about the Machines of a set. */
export const SET_VIEW_WATCHES = [
  watch(
    MachineSet,
    ["metadata.uid", "metadata.labels", ...RESERVATION_FIELDS, ...SCALING_FIELDS, ...SKIP_FIELDS],
    itself,
  ),
  watch(Cluster, [...PREFLIGHT_CLUSTER_FIELDS, "metadata.deletionTimestamp"], inCluster),
  watchContract(ControlPlane, ["metadata.uid", ...PREFLIGHT_FIELDS], inClusterReferencing),
  watch(Machine, [...SET_MACHINE_FIELDS, ...IN_PLACE_FIELDS], setsOfMachine),
  watchContract(BootstrapConfig, OBJECT_FIELDS, setsOfMachine),
  watchContract(InfraMachine, OBJECT_FIELDS, setsOfMachine),
  watchReferenced(
    [BootstrapTemplate, ["metadata.generation", ...SKIP_FIELDS]],
    [InfraMachineTemplate, ["metadata.generation"]],
  ),
];

/** Fields that are read besides, also live. */
export const SET_VIEW_READS = [
  {
    on: Machine as unknown as Kind,
    fields: [...DELETION_ORDER_FIELDS, ...REMEDIATION_FIELDS, "spec", "status.initialization"],
  },
  { on: BootstrapTemplate, fields: [TEMPLATE_PATH], liveOnly: true },
  { on: InfraMachineTemplate, fields: [TEMPLATE_PATH], liveOnly: true },
] as const;

/** Watches of everything that the status shows. */
export const STATUS_WATCHES = [
  watch(
    MachineSet,
    [
      "metadata.uid",
      ...ADOPTED_FIELDS,
      ...SCALING_FIELDS,
      ...SKIP_FIELDS,
      ...REFUSED_FIELDS,
      "spec",
      "status",
    ],
    itself,
  ),
  watch(Cluster, PREFLIGHT_CLUSTER_FIELDS, inCluster),
  watchContract(ControlPlane, ["metadata.uid", ...PREFLIGHT_FIELDS], inClusterReferencing),
  watchReferenced([BootstrapTemplate, SKIP_FIELDS], [InfraMachineTemplate, []]),
  watch(
    Machine,
    [
      ...SET_MACHINE_FIELDS,
      ...MACHINE_CONDITION_FIELDS,
      `${DEPRECATED_CONDITIONS}[Ready]`,
      ...COUNTER_FIELDS,
      ...STALE_FIELDS,
    ],
    setsOfMachine,
  ),
];

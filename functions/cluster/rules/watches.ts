import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { ControlPlane } from "../../../shared/contract/control-plane.ts";
import { InfraCluster, infraClusterPaths } from "../../../shared/contract/infra-cluster.ts";
import {
  clusterOf,
  itself,
  sameName,
  watch,
  watchReferenced,
} from "../../../shared/function/define-function.ts";
import { mirroredFields } from "../../../shared/rules/conditions/conditions.ts";
import { DEPRECATED_CONDITIONS } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { MACHINE_CONDITION_FIELDS } from "../../../shared/rules/machines/machine-conditions.ts";
import { OWN_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { FAILURE_FIELDS } from "../../../shared/rules/providers/failures.ts";
import { CONNECTION_FIELDS } from "../../../shared/rules/workload/connection.ts";
import { CONTROL_PLANE_COUNTER_FIELDS, WORKER_COUNTER_FIELDS } from "./counters.ts";
import { HOOK_FIELDS } from "./deletion.ts";
import { WORKER_KINDS } from "./descendants.ts";
import { ENDPOINT_FIELDS } from "./endpoint.ts";
import { INITIALIZED_FIELDS, PROVISIONED_FIELDS } from "./latches.ts";
import { COUNTED_FIELDS, MEMBERSHIP_FIELDS } from "./machines.ts";
import {
  clusterOfControlPlane,
  clusterOfMachine,
  clusterOfTroubled,
  MACHINE_MESSAGE_FIELDS,
  MESSAGE_FIELDS,
  REPEATED_FIELDS,
} from "./wakes.ts";
import { CONTROL_PLANE_CONDITION_FIELDS, WORKER_CONDITION_FIELDS } from "./worker-conditions.ts";

const PROVIDER_FIELDS = [...OWN_FIELDS, ...FAILURE_FIELDS, ...mirroredFields("Ready"), DEPRECATED_CONDITIONS];

const WORKER_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...WORKER_COUNTER_FIELDS,
  ...WORKER_CONDITION_FIELDS,
] as const;

/** Watches of everything that the status shows. */
export const VIEW_WATCHES = [
  watch(Cluster, ["metadata.uid", "metadata.generation", ...HOOK_FIELDS, "spec", "status"], itself),
  watchReferenced(
    [InfraCluster, [...PROVIDER_FIELDS, ...PROVISIONED_FIELDS, ...infraClusterPaths("failureDomains")]],
    [
      ControlPlane,
      [
        ...PROVIDER_FIELDS,
        ...INITIALIZED_FIELDS,
        ...CONTROL_PLANE_COUNTER_FIELDS,
        ...mirroredFields("Available"),
        ...CONTROL_PLANE_CONDITION_FIELDS,
      ],
    ],
  ),
  ...WORKER_KINDS.flatMap(({ kind, countedBy }) => [
    watch(kind, [...WORKER_FIELDS, ...countedBy] as unknown as typeof WORKER_FIELDS, clusterOf),
    watch(kind, MESSAGE_FIELDS, clusterOfTroubled),
  ]),
  // A deletion waits for all of them, and says so.
  watch(Machine, ["metadata.uid"], clusterOf),
  watch(Machine, [...MEMBERSHIP_FIELDS, ...COUNTED_FIELDS], clusterOfMachine),
  watch(Machine, MACHINE_MESSAGE_FIELDS, clusterOfTroubled),
  watch(Machine, ["status.nodeRef"], clusterOfControlPlane),
  watch(Connection, CONNECTION_FIELDS, sameName),
];

/** Fields that the status reads besides. */
export const VIEW_READS = [
  // Reasons stand in for missing messages.
  ...WORKER_KINDS.map(({ kind }) => ({ on: kind as unknown as Kind, fields: REPEATED_FIELDS })),
  { on: Machine as unknown as Kind, fields: MACHINE_CONDITION_FIELDS },
  // Whether the endpoint is still to be copied: the copy wakes.
  { on: InfraCluster, fields: ENDPOINT_FIELDS },
  { on: ControlPlane, fields: ENDPOINT_FIELDS },
];

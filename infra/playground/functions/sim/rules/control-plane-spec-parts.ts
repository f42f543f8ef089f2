import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../../../shared/api/machineset.ts";
import { BootstrapConfig } from "../../../../../shared/contract/bootstrap-config.ts";
import type { ContractKind } from "../../../../../shared/contract/contract-kind.ts";
import { InfraMachine } from "../../../../../shared/contract/infra-machine.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../../../../shared/contract/machine-templates.ts";
import { watch } from "../../../../../shared/function/define-function.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../../../../shared/function/guards.ts";
import {
  inCluster,
  itself,
  ownedBy,
  owners,
  sameCluster,
  siblings,
} from "../../../../../shared/function/mappings.ts";
import { IN_PLACE_FIELDS } from "../../../../../shared/rules/machines/in-place.ts";
import { MACHINE_CONDITION_FIELDS } from "../../../../../shared/rules/machines/machine-conditions.ts";
import { RESERVATION_FIELDS } from "../../../../../shared/rules/machines/reservation.ts";
import { KEY_FIELDS } from "../../../../../shared/rules/metadata/labels.ts";
import { OWNER_FIELDS } from "../../../../../shared/rules/metadata/read-owner.ts";
import { REFUSED_FIELDS } from "../../../../../shared/rules/metadata/refused-write.ts";
import { SimBootstrapConfig, SimBootstrapConfigTemplate } from "../../../api/sim-bootstrap.ts";
import { SimServer } from "../../../api/sim-cloud.ts";
import { SimControlPlane } from "../../../api/sim-controlplane.ts";
import { SimControlPlaneLegacy } from "../../../api/sim-controlplane-legacy.ts";
import { SimMachine, SimMachineTemplate } from "../../../api/sim-machine.ts";
import { SERVER_FIELDS } from "./control-plane-guard.ts";
import { CHOICE_FIELDS, PLACEMENT_FIELDS } from "./control-plane-next-step.ts";
import { CLONE_FIELDS } from "./control-plane-propagation.ts";
import { FAULT_FIELDS, GATE_FIELDS } from "./control-plane-view.ts";
import { ADDRESS_FIELDS, ENDPOINT_FIELDS } from "./server.ts";

/** Reasons why two functions may write the same field. */
const ONE_CONTROLLER = "a Machine has one controller: each of the two writes those that it controls";
const ONE_MACHINE =
  "an object belongs to one Machine or pool, and that to one controller: each writes its own";
const AS_BORN =
  "a control plane makes its Machines and their objects complete, so that the other has nothing to write there";
const NOT_APPLIED = "machine-status leaves this condition of a control plane Machine out of its apply";
const DRAINS_ONLY = "machine-drain applies the condition Deleting and its own start times, nothing else";
const BY_OWNER =
  "health checks write it where it is absent or True, its owner where it is False; a left-over goes after a minute";
const SAME_ENTRY = "both add the same Cluster as an owner, each only where it is missing";
const ONE_CONTROL_PLANE = "a Cluster has one control plane object: each of the two writes for its own";

const UP_TO_DATE = "status.conditions[UpToDate]";
const REMEDIATED = "status.conditions[OwnerRemediated]";
/** The conditions of its Machines that a control plane writes. */
const WRITTEN_CONDITIONS = [UP_TO_DATE, REMEDIATED] as const;

function turn(other: string, on: Kind | ContractKind, field: string, reason: string) {
  return { function: other, on, field, reason };
}

/** Turns of the function that keeps the Machines of a control plane. */
export const MACHINES_TURNS = [
  turn("machinepool-machines", Machine, "metadata", ONE_CONTROLLER),
  turn("machinepool-remediate", Machine, REMEDIATED, ONE_CONTROLLER),
  turn("machineset-remediate", Machine, REMEDIATED, ONE_CONTROLLER),
  turn("machineset-machines", Machine, "metadata", ONE_CONTROLLER),
  turn("machineset-machines", Machine, "spec", ONE_CONTROLLER),
  turn("machineset-machines", BootstrapConfig, "metadata", ONE_MACHINE),
  turn("machineset-machines", InfraMachine, "metadata", ONE_MACHINE),
  turn("machinepool-adopt", BootstrapConfig, "metadata", ONE_MACHINE),
  turn("machine-guard", Machine, "metadata", AS_BORN),
  turn("machine-guard", Machine, "spec.deletion", AS_BORN),
  turn("machine-adopt", BootstrapConfig, "metadata", AS_BORN),
  turn("machine-adopt", InfraMachine, "metadata", AS_BORN),
  turn("machine-status", Machine, UP_TO_DATE, NOT_APPLIED),
  turn("machine-status", Machine, REMEDIATED, NOT_APPLIED),
  turn("machine-drain", Machine, UP_TO_DATE, DRAINS_ONLY),
  turn("machine-drain", Machine, REMEDIATED, DRAINS_ONLY),
  turn("mhc-machines", Machine, REMEDIATED, BY_OWNER),
];

/** Turns of the function that makes a control plane safe to work on. */
export const GUARD_TURNS = ["machinedeployment-guard", "machineset-guard"].flatMap((guard) => [
  turn(guard, BootstrapTemplate, "metadata.ownerReferences", SAME_ENTRY),
  turn(guard, InfraMachineTemplate, "metadata.ownerReferences", SAME_ENTRY),
]);

/** Turns of the functions of the older kind with those of the newer one. */
export const LEGACY_MACHINES_TURNS = [
  turn("sim-controlplane-machines", Machine, "metadata", ONE_CONTROLLER),
  turn("sim-controlplane-machines", Machine, "spec", ONE_CONTROLLER),
  turn("sim-controlplane-machines", Machine, "status", ONE_CONTROLLER),
  turn("sim-controlplane-machines", BootstrapConfig, "metadata", ONE_MACHINE),
  turn("sim-controlplane-machines", InfraMachine, "metadata", ONE_MACHINE),
];
export const LEGACY_GUARD_TURNS = [
  turn("sim-controlplane-guard", SimServer, "spec", ONE_CONTROL_PLANE),
  turn("sim-controlplane-guard", BootstrapTemplate, "metadata.ownerReferences", SAME_ENTRY),
  turn("sim-controlplane-guard", InfraMachineTemplate, "metadata.ownerReferences", SAME_ENTRY),
];

/** The finalizer of a control plane is added while it lives and removed while it goes. */
export function finalizerTurn(guard: string, kind: Kind) {
  return [
    turn(
      guard,
      kind,
      "metadata.finalizers",
      "the guard adds it while the object lives, delete removes it while it goes",
    ),
  ];
}

/*
 * Parts of the specs that the functions of both control planes have in common: the kinds differ in the names of fields
 * that only the functions of their status write.
 */

type ControlPlaneKind = Kind<SimControlPlane> | Kind<SimControlPlaneLegacy>;

/** The fields that are watched are at the same paths in both kinds. */
function common(kind: ControlPlaneKind): Kind<SimControlPlane> {
  return kind as Kind<SimControlPlane>;
}

/** The flag that the next Machine waits for is at another path under each contract. */
function initializedWatch(kind: ControlPlaneKind) {
  return kind.kind === SimControlPlaneLegacy.kind
    ? watch(SimControlPlaneLegacy, ["status.initialized"], itself)
    : watch(SimControlPlane, ["status.initialization.controlPlaneInitialized"], itself);
}

/** The fields of a control plane that say whether it is worked on. */
const GUARDED = ["metadata.uid", ...OWNER_FIELDS, ...HOLD_FIELDS, "spec"] as const;

/** The Cluster owns both. */
function templateWatches() {
  return [
    watch(SimMachineTemplate, ["metadata.uid", ...OWNER_FIELDS], siblings),
    watch(SimBootstrapConfigTemplate, ["metadata.uid", ...OWNER_FIELDS], siblings),
  ] as const;
}

export function guardParts(kind: ControlPlaneKind) {
  return {
    watches: [
      watch(common(kind), [...GUARDED, ...FAULT_FIELDS], itself),
      watch(Cluster, GATE_FIELDS, ownedBy),
      // A SimServer has the name of its Cluster.
      watch(SimServer, ["metadata.uid", ...SERVER_FIELDS, ...ADDRESS_FIELDS], inCluster),
      ...templateWatches(),
    ],
    ownsOn: [
      {
        kind: kind as Kind,
        fields: ["metadata.finalizers", "spec.version", ...ENDPOINT_FIELDS],
      },
      { kind: SimServer, fields: SERVER_FIELDS },
      // By their contracts: other functions that write these objects know no more of them than that.
      { kind: InfraMachineTemplate, fields: OWNER_FIELDS },
      { kind: BootstrapTemplate, fields: OWNER_FIELDS },
    ],
    calls: [{ verb: "create", kind: SimServer }],
    blocks: [kind as Kind],
  } as const;
}

/** The fields of the Machines that decide about their number and their order. */
const MEMBER_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...OWNER_FIELDS,
  ...MACHINE_CONDITION_FIELDS,
  "status.nodeRef",
] as const;

function memberWatches() {
  return [
    watch(SimMachine, CLONE_FIELDS, sameCluster),
    watch(SimBootstrapConfig, CLONE_FIELDS, sameCluster),
  ] as const;
}

export function machinesParts(kind: ControlPlaneKind) {
  return {
    watches: [
      watch(common(kind), [...GUARDED, ...RESERVATION_FIELDS], itself),
      initializedWatch(kind),
      watch(Cluster, [...GATE_FIELDS, ...PLACEMENT_FIELDS], ownedBy),
      watch(
        Machine,
        [...MEMBER_FIELDS, ...IN_PLACE_FIELDS, ...CHOICE_FIELDS, "status.initialization"],
        owners,
      ),
      // A Machine gets its labels and annotations once those of its objects are right.
      watch(SimMachine, [...CLONE_FIELDS, ...KEY_FIELDS], sameCluster),
      watch(SimBootstrapConfig, [...CLONE_FIELDS, ...KEY_FIELDS], sameCluster),
    ],
    reads: [
      { on: Machine, fields: ["metadata.creationTimestamp", "spec", "status.conditions"] },
      { on: SimMachine, fields: OWNER_FIELDS },
      { on: SimBootstrapConfig, fields: OWNER_FIELDS },
      { on: SimMachineTemplate, fields: ["spec.template"], liveOnly: true },
      { on: SimBootstrapConfigTemplate, fields: ["spec.template"], liveOnly: true },
    ],
    readsLive: [SimMachineTemplate, SimBootstrapConfigTemplate],
    ownsOn: [
      { kind: kind as Kind, fields: [...RESERVATION_FIELDS, ...REFUSED_FIELDS] },
      {
        kind: Machine,
        fields: [...IN_PLACE_FIELDS, ...OWNER_FIELDS, ...WRITTEN_CONDITIONS],
      },
      { kind: InfraMachine, fields: KEY_FIELDS, liveOnly: true },
      { kind: BootstrapConfig, fields: KEY_FIELDS, liveOnly: true },
    ],
    calls: [
      { verb: "create", kind: Machine },
      { verb: "create", kind: SimMachine },
      { verb: "create", kind: SimBootstrapConfig },
      { verb: "delete", kind: Machine },
    ],
    blocks: [kind as Kind, Machine],
  } as const;
}

export function statusParts(kind: ControlPlaneKind) {
  return {
    watches: [
      watch(common(kind), [...GUARDED, ...FAULT_FIELDS, ...REFUSED_FIELDS, "status.certificates"], itself),
      watch(Cluster, GATE_FIELDS, ownedBy),
      watch(Machine, [...MEMBER_FIELDS, "status.nodeInfo", "spec.version"], owners),
      ...memberWatches(),
      ...templateWatches(),
      watch(SimServer, ["metadata.uid", "status.ready"], inCluster),
    ],
    reads: [
      { on: Machine, fields: ["metadata.creationTimestamp", "metadata.labels"] },
      { on: SimMachine, fields: OWNER_FIELDS },
      { on: SimBootstrapConfig, fields: OWNER_FIELDS },
    ],
    queue: { settleMs: 50 },
  } as const;
}

export function deleteParts(kind: ControlPlaneKind) {
  return {
    watches: [
      watch(common(kind), [...HOLD_FIELDS, "metadata.labels[cluster.x-k8s.io/cluster-name]"], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(MachinePool, ["metadata.uid"], sameCluster),
      watch(MachineSet, ["metadata.uid"], sameCluster),
      watch(Machine, ["metadata.uid", "metadata.deletionTimestamp", ...OWNER_FIELDS], sameCluster),
    ],
    reads: [{ on: Machine, fields: ["metadata.labels"] }],
    ownsOn: [{ kind: kind as Kind, fields: ["metadata.finalizers"] }],
    calls: [{ verb: "delete", kind: Machine }],
  } as const;
}

import type { Kind } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { BootstrapConfig } from "../../../../../shared/contract/bootstrap-config.ts";
import type { ContractKind } from "../../../../../shared/contract/contract-kind.ts";
import { InfraMachine } from "../../../../../shared/contract/infra-machine.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../../../../shared/contract/machine-templates.ts";
import { SimServer } from "../../../api/sim-cloud.ts";

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
export const WRITTEN_CONDITIONS = [UP_TO_DATE, REMEDIATED] as const;

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

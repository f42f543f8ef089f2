import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { sameJson } from "../../../shared/api/path.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { GETS_MACHINES, MOVES_MACHINES } from "../../../shared/rules/machines/annotations.ts";
import { cloneReference, isCloneDue, isClonedFrom } from "../../../shared/rules/machines/clones.ts";
import { deletionOrder } from "../../../shared/rules/machines/deletion-order.ts";
import { type Plan, planMachines } from "../../../shared/rules/machines/making.ts";
import { reservedNames } from "../../../shared/rules/machines/reservation.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import type { SetView } from "./machines-view.ts";

const DISABLE_CREATE = "cluster.x-k8s.io/disable-machine-create";
const PENDING_MOVE = "in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move";
/** The annotations of a set that decide about its size. */
export const SCALING_FIELDS = [
  `metadata.annotations[${DISABLE_CREATE}]`,
  `metadata.annotations[${MOVES_MACHINES}]`,
  `metadata.annotations[${GETS_MACHINES}]`,
] as const;

/** An object of a Machine that is still to be made, by its place in the template. */
export interface DueClone {
  readonly machine: Machine;
  readonly role: "bootstrap" | "infrastructure";
}

/** The Machines that must go now: the first of the deletion order, without those that are going. */
export function surplus({ set, own }: SetView, now: Date): readonly Machine[] {
  const { replicas, deletion } = set.spec;
  if (replicas === undefined || isMoving(set)) return [];
  const receives = Object.hasOwn(set.metadata.annotations ?? {}, GETS_MACHINES);
  const counted = own.filter(
    ({ metadata }) => !receives || !Object.hasOwn(metadata.annotations ?? {}, PENDING_MOVE),
  );
  return deletionOrder(counted, deletion?.order, now)
    .slice(0, Math.max(0, counted.length - replicas))
    .filter((machine) => !isDeleting(machine));
}

/** Cluster API's manager is moving the Machines of the set to another one: none is deleted here. */
export function isMoving({ metadata }: MachineSet): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, MOVES_MACHINES);
}

/** Returns which of the reserved Machines are made now, and what becomes of the reservation. */
export function setPlan(
  view: SetView,
  taken: ReadonlySet<string>,
  reserved: readonly string[] = reservedNames(view.set),
): Plan {
  const { set, own, blockers } = view;
  const isOff = set.metadata.annotations?.[DISABLE_CREATE] === "true";
  const plan = planMachines({
    replicas: isOff ? 0 : (set.spec.replicas ?? 0),
    machines: own.map(({ metadata }) => metadata.name),
    reserved,
    taken,
    isProven: isProven(view),
    isWaiting: dueClones(view).some(({ machine, role }) => isOfTemplate(set, machine, role)),
  });
  if (blockers.length === 0) return plan;
  // Names stay reserved while the way is blocked.
  return plan.missing > 0 ? { ...plan, missing: 0 } : { ...plan, create: [] };
}

/** A Machine has both of its objects from the current templates. */
function isProven(view: SetView): boolean {
  return view.own.some((machine) => isFromTemplates(view, machine));
}

/** Objects that Machines of the set are still to get. */
export function dueClones({ own, objects }: SetView): readonly DueClone[] {
  return own.flatMap((machine): readonly DueClone[] => {
    const { bootstrap, infrastructure }: Partial<MachineProviders> = objects.get(machine.metadata.name) ?? {};
    return [
      ...(isCloneDue(machine, "bootstrapDataSecretCreated", bootstrap)
        ? [{ machine, role: "bootstrap" } as const]
        : []),
      ...(isCloneDue(machine, "infrastructureProvisioned", infrastructure)
        ? [{ machine, role: "infrastructure" } as const]
        : []),
    ];
  });
}

/** Whether the current templates can give a Machine the object that it references under its own name. */
export function isOfTemplate({ spec }: MachineSet, machine: Machine, role: DueClone["role"]): boolean {
  const template =
    role === "bootstrap" ? spec.template.spec.bootstrap.configRef : spec.template.spec.infrastructureRef;
  const reference = role === "bootstrap" ? machine.spec.bootstrap.configRef : machine.spec.infrastructureRef;
  return (
    template !== undefined &&
    reference !== undefined &&
    sameJson(reference, cloneReference(template, machine.metadata.name))
  );
}

/** Whether both objects of a Machine exist, are its own, and were cloned from the current templates. */
function isFromTemplates({ set, objects }: SetView, machine: Machine): boolean {
  const { bootstrap, infrastructureRef } = set.spec.template.spec;
  const found = objects.get(machine.metadata.name);
  const isClone = (object: MachineProviders["bootstrap"], template: typeof infrastructureRef): boolean =>
    object?.state === "found" &&
    controllerOf(object.object)?.uid === machine.metadata.uid &&
    isClonedFrom(object.object, template);
  return (
    isClone(found?.infrastructure, infrastructureRef) &&
    (bootstrap.configRef === undefined || isClone(found?.bootstrap, bootstrap.configRef))
  );
}

import { refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { Decision, NewObject, Notice } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { done, requeueAfter } from "../../../shared/function/result.ts";
import { cloneFor, readCloneSource } from "../../../shared/rules/machines/clones.ts";
import type { Plan } from "../../../shared/rules/machines/making.ts";
import { newMachine } from "../../../shared/rules/machines/new-machine.ts";
import {
  endOfReservation,
  namesToReserve,
  reservationPatch,
  reservedNames,
} from "../../../shared/rules/machines/reservation.ts";
import { designOf } from "./in-place.ts";
import { isOwnMachine } from "./machines.ts";
import type { SetView } from "./machines-view.ts";
import { namingOf } from "./problems.ts";
import { type DueClone, dueClones, isOfTemplate, setPlan, surplus } from "./scaling.ts";

type Work = Decision<MachineSet, never>;

const REFUSED = "FailedCreate";
/** A Machine that the server refuses is tried again after this: no watch shows when a quota is raised. */
const MACHINE_AGAIN_MS = 15 * SECOND;

const NONE: ReadonlySet<string> = new Set();
type Role = DueClone["role"];
const ROLES: readonly Role[] = ["bootstrap", "infrastructure"];

/** Whether the number of Machines, the reservation, or an object of a Machine has to change, by a view of snapshots. */
export function isReplicaWorkDue(view: SetView, now: Date): boolean {
  const { create, reserved, missing } = setPlan(view, NONE);
  return (
    surplus(view, now).length > 0 ||
    create.length > 0 ||
    missing > 0 ||
    reservationPatch(view.set, reserved).length > 0 ||
    dueClones(view).some(({ machine, role }) => isOfTemplate(view.set, machine, role))
  );
}

/**
 * One step towards the right number of Machines: deletes those that are too many, else reserves the missing names and makes
 * reserved Machines with their objects, and objects that Machines still lack. The view is live.
 */
export async function replicaWork(read: Reader, view: SetView, now: Date): Promise<Work> {
  const { set } = view;
  const toDelete = surplus(view, now);
  const taken = await takenNames(read, view);
  const known = setPlan(view, taken);
  const drawn = known.missing > 0 ? await drawnNames(read, view, known) : [];
  const plan = drawn.length > 0 ? setPlan(view, taken, [...known.reserved, ...drawn]) : known;

  const design = designOf(set);
  const due = dueClones(view).filter(({ machine, role }) => isOfTemplate(set, machine, role));
  const sources = await readSources(read, set, plan.create.length > 0 ? ROLES : due.map(({ role }) => role));
  const problems = sources.flatMap(({ source }) => ("problem" in source ? [source.problem] : []));
  const clonesFor = (machine: Machine, roles: readonly Role[], againAfterMs: number) =>
    sources
      .filter(({ role }) => roles.includes(role))
      .flatMap(({ source }): readonly NewObject[] => {
        if ("problem" in source) return [];
        const clone = cloneFor(machine, source, design.metadata);
        return [{ ...clone, ifFails: { event: REFUSED, againAfterMs } }];
      });
  // A Machine would wait for objects that cannot be made.
  const names = problems.length > 0 ? [] : plan.create;
  const machines = names.map((name): NewObject => {
    const machine = newMachine(name, design);
    return {
      ...machine,
      ifFails: { event: REFUSED, againAfterMs: MACHINE_AGAIN_MS },
      announces: notice("SuccessfulCreate", `Created Machine "${name}"`),
      dependents: clonesFor(machine.object, ROLES, SECOND),
    };
  });
  const made = new Set([...names, ...view.own.map(({ metadata }) => metadata.name)]);
  const isLastOfReserved = names.length > 0 && plan.reserved.every((name) => made.has(name));
  const target = refTo(MachineSet, set);
  const againMs = cloneAgainMs(due, now);
  return {
    ...deletion(toDelete),
    create: [...machines, ...due.flatMap(({ machine, role }) => clonesFor(machine, [role], againMs))],
    patch: [
      {
        target,
        operations: reservationPatch(set, plan.reserved),
        ...(drawn.length > 0 && { order: "first" as const }),
      },
      // Its version is another one by then.
      {
        target: { ...target, resourceVersion: undefined },
        operations: isLastOfReserved ? endOfReservation(plan.reserved) : [],
        order: "last",
      },
    ],
    events: problems.map((message) => ({ type: "Warning", reason: REFUSED, message })),
    // No watch shows when the kind of the clones is served.
    result: problems[0] === undefined ? done : requeueAfter(MINUTE, problems[0]),
  };
}

function deletion(toDelete: readonly Machine[]): Pick<Work, "delete" | "result"> {
  return {
    delete: toDelete.map((machine) => ({
      target: refTo(Machine, machine),
      announces: notice("SuccessfulDelete", `Deleted Machine "${machine.metadata.name}"`),
    })),
    result: done,
  };
}

function notice(reason: string, message: string): Notice {
  return { type: "Normal", reason, message };
}

/** Returns the reserved names under which another owner has a Machine: asked live once a snapshot shows one. */
async function takenNames(read: Reader, { set, own }: SetView): Promise<ReadonlySet<string>> {
  const made = new Set(own.map(({ metadata }) => metadata.name));
  const { namespace = "" } = set.metadata;
  const unmade = reservedNames(set).filter((name) => !made.has(name));
  const taken = await Promise.all(
    unmade.map(async (name) => {
      const key = { namespace, name };
      if ((await read.get(Machine, key)) === undefined) return undefined;
      const machine = await read.live.get(Machine, key);
      return machine === undefined || isOwnMachine(set, machine) ? undefined : name;
    }),
  );
  return new Set(taken.filter((name) => name !== undefined));
}

/** The most draws of new names while snapshots show one of them in use. */
const MAX_DRAWS = 5;

/** Returns names for all Machines that lack one, or none while those that are drawn are in use. */
async function drawnNames(
  read: Reader,
  { set, own }: SetView,
  { missing }: Plan,
): Promise<readonly string[]> {
  const naming = namingOf(set);
  if (typeof naming !== "function") return [];
  const { namespace = "" } = set.metadata;
  const taken = new Set([...own.map(({ metadata }) => metadata.name), ...reservedNames(set)]);
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    const names = namesToReserve(set, naming, missing, taken);
    const found = await Promise.all(names.map((name) => read.get(Machine, { namespace, name })));
    const inUse = found.filter((machine) => machine !== undefined);
    if (inUse.length === 0) return names;
    for (const { metadata } of inUse) taken.add(metadata.name);
  }
  return [];
}

/** Reads the templates of these roles that the set has, each once, whatever the number of Machines. */
async function readSources(read: Reader, { metadata, spec }: MachineSet, roles: readonly Role[]) {
  const { bootstrap, infrastructureRef } = spec.template.spec;
  const references = { bootstrap: bootstrap.configRef, infrastructure: infrastructureRef };
  const sources = await Promise.all(
    ROLES.filter((role) => roles.includes(role)).map(async (role) => {
      const reference = references[role];
      if (reference === undefined) return undefined;
      return { role, source: await readCloneSource(read, reference, metadata.namespace ?? "") };
    }),
  );
  return sources.filter((each) => each !== undefined);
}

/** A backoff that needs no counter: as long again as the youngest Machine has waited, from 1 s to a minute. */
function cloneAgainMs(due: readonly DueClone[], now: Date): number {
  const waitedMs = due
    .map(({ machine }) => now.getTime() - Date.parse(machine.metadata.creationTimestamp ?? ""))
    .filter((ms) => !Number.isNaN(ms));
  return Math.max(SECOND, Math.min(MINUTE, ...waitedMs));
}

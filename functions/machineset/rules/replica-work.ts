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
  namesToReserve,
  reservationPatch,
  reservedNames,
} from "../../../shared/rules/machines/reservation.ts";
import { designOf, setTemplate } from "./in-place.ts";
import { isOwnMachine } from "./machines.ts";
import type { SetView } from "./machines-view.ts";
import { namingOf } from "./problems.ts";
import { type DueClone, dueClones, isOfTemplate, isProven, setPlan, surplus } from "./scaling.ts";

type Work = Decision<MachineSet, never>;

const REFUSED = "FailedCreate";
/** A Machine that the server refuses is tried again after this: no watch shows when a quota is raised. */
const MACHINE_AGAIN_MS = 15 * SECOND;

const NONE: ReadonlySet<string> = new Set();

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
 * One step towards the right number of Machines: deletes those that are too many, else reserves the missing names, then makes
 * reserved Machines and the objects of those that are there. The view is live.
 */
export async function replicaWork(read: Reader, view: SetView, now: Date): Promise<Work> {
  const { set } = view;
  const toDelete = surplus(view, now);
  const taken = await takenNames(read, view);
  const known = setPlan(view, taken);
  const drawn = known.missing > 0 ? await drawnNames(read, view, known) : [];
  const plan = drawn.length > 0 ? setPlan(view, taken, [...known.reserved, ...drawn]) : known;

  const clones = await makeClones(read, view, now);
  const unreadable = plan.create.length === 0 ? undefined : await sourceProblem(read, view);
  if (unreadable !== undefined) {
    const event = { type: "Warning", reason: REFUSED, message: unreadable } as const;
    return { ...deletion(toDelete), events: [event], result: requeueAfter(MINUTE, unreadable) };
  }
  const machines = plan.create.map((name) => ({
    ...newMachine(name, designOf(set)),
    ifFails: { event: REFUSED, againAfterMs: MACHINE_AGAIN_MS },
    announces: notice("SuccessfulCreate", `Created Machine "${name}"`),
  }));
  return {
    ...deletion(toDelete),
    create: [...machines, ...clones.objects],
    patch: [
      {
        target: refTo(MachineSet, set),
        operations: reservationPatch(set, plan.reserved),
        ...(drawn.length > 0 && { isFirst: true as const }),
      },
    ],
    events: clones.events,
    // No watch shows when the kind of the clones is served.
    result: clones.problem === undefined ? done : requeueAfter(MINUTE, clones.problem),
  };
}

/**
 * Returns why the objects of a Machine could not be made, before there is one. Where templates are proven the view, which
 * is of snapshots, says what has happened to them since.
 */
async function sourceProblem(read: Reader, view: SetView): Promise<string | undefined> {
  if (isProven(view)) return undefined;
  const { metadata, spec } = view.set;
  const { bootstrap, infrastructureRef } = spec.template.spec;
  const references = bootstrap.configRef === undefined ? [] : [bootstrap.configRef];
  const sources = await Promise.all(
    [...references, infrastructureRef].map((one) => readCloneSource(read, one, metadata.namespace ?? "")),
  );
  return sources.flatMap((source) => ("problem" in source ? [source.problem] : []))[0];
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

interface Clones {
  readonly objects: readonly NewObject[];
  readonly events: readonly Notice[];
  /** Why some cannot be made. */
  readonly problem: string | undefined;
}

/** Both templates are read once, whatever the number of Machines. */
async function makeClones(read: Reader, view: SetView, now: Date): Promise<Clones> {
  const { set } = view;
  const due = dueClones(view).filter(({ machine, role }) => isOfTemplate(set, machine, role));
  const parts = await Promise.all(
    (["bootstrap", "infrastructure"] as const).map((role) =>
      clonesOf(
        read,
        set,
        role,
        due.filter((clone) => clone.role === role),
      ),
    ),
  );
  const ifFails = { event: REFUSED, againAfterMs: cloneAgainMs(due, now) };
  const problems = parts.flatMap(({ problem }) => problem ?? []);
  return {
    objects: parts.flatMap(({ objects }) => objects).map((clone) => ({ ...clone, ifFails })),
    events: problems.map((message) => ({ type: "Warning", reason: REFUSED, message })),
    problem: problems[0],
  };
}

async function clonesOf(
  read: Reader,
  set: MachineSet,
  role: DueClone["role"],
  due: readonly DueClone[],
): Promise<Pick<Clones, "objects" | "problem">> {
  const { bootstrap, infrastructureRef } = set.spec.template.spec;
  const reference = role === "bootstrap" ? bootstrap.configRef : infrastructureRef;
  if (due.length === 0 || reference === undefined) return { objects: [], problem: undefined };
  const source = await readCloneSource(read, reference, set.metadata.namespace ?? "");
  return "problem" in source
    ? { objects: [], problem: source.problem }
    : {
        objects: due.map(({ machine }) => cloneFor(machine, source, setTemplate(set).metadata)),
        problem: undefined,
      };
}

/** A backoff that needs no counter: as long again as the youngest Machine has waited, from 1 s to a minute. */
function cloneAgainMs(due: readonly DueClone[], now: Date): number {
  const waitedMs = due
    .map(({ machine }) => now.getTime() - Date.parse(machine.metadata.creationTimestamp ?? ""))
    .filter((ms) => !Number.isNaN(ms));
  return Math.max(SECOND, Math.min(MINUTE, ...waitedMs));
}

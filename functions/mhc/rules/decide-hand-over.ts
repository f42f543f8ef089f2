import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { GuardedPatch, Notice, StepContext } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { ConditionChanges } from "../../../shared/rules/machines/condition-patch.ts";
import { type Bound, permissionFor } from "./binding.ts";
import { hasGivenUp, mayEscalate } from "./given-up.ts";
import { type HandOver, handOver, heldMachines } from "./hand-over.ts";
import { failedAt } from "./health.ts";
import type { Judged } from "./judge.ts";
import { hasNoLimit } from "./limit.ts";
import { answered, type LiveFacts, readForHandOver } from "./live-reads.ts";
import { givenUpPatch, handOverPatch, leftOverPatch } from "./machine-writes.ts";
import { blocked, refusalNotices, refusedUntilMs } from "./notices.ts";
import type { Occupant } from "./places.ts";
import type { Scene } from "./reads.ts";
import { occupantsOf, type RequestKind, type Requests } from "./request-reads.ts";
import { retryMs } from "./retry.ts";
import type { Statement } from "./statements.ts";

/** Snapshots from which a hand-over is planned. */
export interface PlanFacts {
  readonly scene: Scene;
  readonly judged: readonly Judged[];
  readonly statements: readonly Statement[];
  readonly requestKind: RequestKind;
  /** The requests; `undefined`: the owners act, or nothing is known. */
  readonly requests: Requests | undefined;
  readonly bound: Bound | undefined;
}

/** All targets may be handed over at the same time, so that no place is reserved and no permission is needed. */
export function reservesNothing({ scene: { check, targets }, bound }: PlanFacts): boolean {
  return bound === undefined && hasNoLimit(check, targets.length);
}

/** Candidates according to snapshots; only live reads start anything. */
export interface Plan extends HandOver {
  /** The Machines for their owners, with the reservation made or none needed. */
  readonly owners: readonly Machine[];
  /** Given up by their external controllers. */
  readonly givenUp: readonly Machine[];
  /** Taken from their external controllers before they are done. */
  readonly escalated: readonly Machine[];
  /** Kept from being handed over by an annotation alone. */
  readonly held: readonly Machine[];
}

const NOTHING: Plan = { chosen: [], leftOvers: [], owners: [], givenUp: [], escalated: [], held: [] };

/** Finds the Machines for which servers are worth asking, on snapshots. */
export function planHandOver({ scene, judged, requests, bound }: PlanFacts, now: Date): Plan {
  const { check } = scene;
  if (isDeleting(check)) return NOTHING;
  const isBound = bound !== undefined;
  const known = { check, occupants: occupantsOf(judged, requests), isBound, now };
  const plan = { ...handOver(known), held: heldMachines(known) };
  if (check.spec.remediation?.templateRef === undefined) {
    const leads = new Map(judged.map(({ machine, health }) => [machine, health.lead]));
    // Another health check writes the condition first.
    const mayGo = (machine: Machine) =>
      leads.get(machine) === check.metadata.name || failedAt(machine) !== undefined;
    return { ...plan, owners: plan.chosen.filter(mayGo), givenUp: [], escalated: [] };
  }
  const machines = judged.map(({ machine }) => machine);
  const givenUp = machines.filter((machine) => hasGivenUp(machine, requests?.get(machine.metadata.name)));
  // Calm is waited for by who makes the requests.
  const ofPlaces = plan.waits?.because === "places" ? plan.againAtMs : undefined;
  const asked = judged.map((one) => ({ ...one, request: requests?.get(one.machine.metadata.name) }));
  const { escalated, nextAtMs } = escalation(bound, asked, now);
  return { ...plan, againAtMs: sooner(ofPlaces, nextAtMs), owners: [], givenUp, escalated };
}

/** A target with the object that has the name of its request. */
type Requested = Pick<Occupant, "machine" | "verdict"> & { readonly request: KubeObject | undefined };

/** Returns those whose owners take over now, and when the next one follows. */
function escalation(bound: Bound | undefined, asked: readonly Requested[], now: Date) {
  const timed = asked.flatMap((one) => {
    const { request } = one;
    if (request === undefined || !mayEscalate(one, request)) return [];
    const atMs = bound?.escalatesAtMs(request);
    return atMs === undefined ? [] : [{ machine: one.machine, atMs }];
  });
  const isDue = ({ atMs }: { readonly atMs: number }) => atMs <= now.getTime();
  const later = timed.filter((one) => !isDue(one)).map(({ atMs }) => atMs);
  return {
    escalated: timed.filter(isDue).map(({ machine }) => machine),
    nextAtMs: later.reduce<number | undefined>(sooner, undefined),
  };
}

function sooner(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

export function isNothing(plan: Plan): boolean {
  return concerned(plan).length === 0;
}

function concerned({ owners, leftOvers, givenUp, escalated }: Plan): readonly Machine[] {
  return [...owners, ...leftOvers, ...givenUp, ...escalated];
}

/** The writes of a hand-over, and why some Machines wait. */
export interface HandedOver {
  readonly patch: readonly GuardedPatch[];
  /** Names of the Machines about which nothing else is written in this run. */
  readonly touched: ReadonlySet<string>;
  readonly events: readonly Notice[];
  /** When time alone changes this, in ms since 1970. */
  readonly againAtMs?: number | undefined;
  /** Why the hand-over waits, by the live evaluation. */
  readonly waits?: HandOver["waits"];
}

/**
 * Reads what the plan needs from the servers and hands over what still holds. A server that does not answer holds up
 * the hand-over alone.
 */
export async function decideHandOver(
  { read, now }: StepContext,
  facts: PlanFacts,
  plan: Plan,
): Promise<HandedOver> {
  const { check } = facts.scene;
  // Nothing is reserved then, so that those which go are all that matters.
  const isUnlimited = plan.owners.length > 0 && reservesNothing(facts);
  const among = isUnlimited ? { among: plan.owners } : {};
  const live = await readForHandOver(read, check, { requestKind: facts.requestKind, ...among, now });
  if ("unreadable" in live) return unanswered(facts, plan, live.unreadable, now);
  const touched = new Set(namesOf(isUnlimited ? plan.owners : []));
  if (live.answer === "changed") return { patch: [], touched, events: [] };
  return carriedOut(facts, { live: live.answer, together: isUnlimited ? touched : undefined }, now);
}

interface Answers {
  readonly live: LiveFacts;
  /** Names of those whose health is said by the same patch. */
  readonly together: ReadonlySet<string> | undefined;
}

/** The bond of the health check has the last word about those that the limit lets go. */
async function carriedOut(
  { scene: { check }, statements, bound }: PlanFacts,
  { live: { occupants, requests }, together }: Answers,
  now: Date,
): Promise<HandedOver> {
  const { chosen, leftOvers, againAtMs, waits } = handOver({
    check,
    occupants,
    isBound: bound !== undefined,
    now,
  });
  const isExternal = check.spec.remediation?.templateRef !== undefined;
  const asked = await answered(() => permissionFor(bound, { chosen: isExternal ? [] : chosen, now }));
  const { allowed, patch: entries, refused } = "answer" in asked ? asked.answer : UNKNOWN;
  const said = together === undefined ? new Map<string, ConditionChanges>() : saidOf(statements, together);
  const givenUp = occupants
    .map(({ machine }) => machine)
    .filter((machine) => isExternal && hasGivenUp(machine, requests.get(machine.metadata.name)));
  const withRequests = occupants.map((one) => ({ ...one, request: requests.get(one.machine.metadata.name) }));
  const { escalated } = escalation(isExternal ? bound : undefined, withRequests, now);
  const owners = [...allowed, ...escalated.filter((machine) => !givenUp.includes(machine))];
  return {
    patch: [
      ...entries,
      ...owners.flatMap((machine) => handOverPatch(check, machine, now, said.get(machine.metadata.name))),
      ...leftOvers.flatMap((machine) => leftOverPatch(machine, now)),
      ...givenUp.flatMap((machine) => givenUpPatch(machine, now)),
    ],
    touched: new Set([...(together ?? []), ...namesOf([...owners, ...leftOvers, ...givenUp])]),
    events: [...refusalNotices(refused), ...("unreadable" in asked ? [blocked(asked.unreadable)] : [])],
    againAtMs: sooner(
      sooner(againAtMs, refusedUntilMs(refused)),
      "unreadable" in asked ? now.getTime() + MINUTE : undefined,
    ),
    waits,
  };
}

const UNKNOWN = { allowed: [], patch: [], refused: [] };

function saidOf(
  statements: readonly Statement[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, ConditionChanges> {
  return new Map(
    statements
      .filter(({ judged }) => names.has(judged.machine.metadata.name))
      .map(({ judged, changes }) => [judged.machine.metadata.name, changes]),
  );
}

/** The verdicts stand, and are written; nothing is handed over. */
function unanswered({ judged }: PlanFacts, plan: Plan, problem: string, now: Date): HandedOver {
  const waiting = new Set(namesOf(concerned(plan)));
  const delays = judged
    .filter(({ machine }) => waiting.has(machine.metadata.name))
    .map((one) => retryMs(one, now))
    .reduce((a, b) => Math.min(a, b));
  return { patch: [], touched: new Set(), events: [blocked(problem)], againAtMs: now.getTime() + delays };
}

function namesOf(machines: readonly Machine[]): readonly string[] {
  return machines.map(({ metadata }) => metadata.name);
}

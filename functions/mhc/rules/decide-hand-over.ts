import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { GuardedPatch, Notice, StepContext } from "../../../shared/function/define-function.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { ConditionChanges } from "../../../shared/rules/machines/condition-patch.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { hasGivenUp } from "./given-up.ts";
import { type HandOver, handOver } from "./hand-over.ts";
import type { Judged } from "./judge.ts";
import { hasNoLimit } from "./limit.ts";
import { type LiveFacts, readForHandOver } from "./live-reads.ts";
import { givenUpPatch, handOverPatch, leftOverPatch } from "./machine-writes.ts";
import { blocked } from "./notices.ts";
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
  /** `undefined`: the owners act, or nothing is known. */
  readonly requests: Requests | undefined;
}

/** Candidates according to snapshots; only live reads start anything. */
export interface Plan extends HandOver {
  /** For their owners, with the reservation made or none needed. */
  readonly owners: readonly Machine[];
  /** Given up by their external controllers. */
  readonly givenUp: readonly Machine[];
}

const NOTHING: Plan = { chosen: [], leftOvers: [], owners: [], givenUp: [] };

/** Finds the Machines for which servers are worth asking, on snapshots. Source: MHC-12.1, MHC-10.2 */
export function planHandOver({ scene, judged, requests }: PlanFacts, now: Date): Plan {
  const { check } = scene;
  if (isDeleting(check)) return NOTHING;
  const plan = handOver({ check, occupants: occupantsOf(judged, requests), now });
  if (check.spec.remediation?.templateRef === undefined) {
    const leads = new Map(judged.map(({ machine, health }) => [machine, health.lead]));
    // Another health check writes the condition first.
    const mayGo = (machine: Machine) => leads.get(machine) === check.metadata.name || hasFailed(machine);
    return { ...plan, owners: plan.chosen.filter(mayGo), givenUp: [] };
  }
  const machines = judged.map(({ machine }) => machine);
  const givenUp = machines.filter((machine) => hasGivenUp(machine, requests?.get(machine.metadata.name)));
  // Calm is waited for by who makes the requests.
  const againAtMs = plan.waits?.because === "places" ? plan.againAtMs : undefined;
  return { ...plan, againAtMs, owners: [], givenUp };
}

export function isNothing({ owners, leftOvers, givenUp }: Plan): boolean {
  return owners.length === 0 && leftOvers.length === 0 && givenUp.length === 0;
}

/** The writes of a hand-over, and why some Machines wait. */
export interface HandedOver {
  readonly patch: readonly GuardedPatch[];
  /** Names of the Machines about which nothing else is written in this run. */
  readonly touched: ReadonlySet<string>;
  readonly events: readonly Notice[];
  /** When time alone changes this, in ms since 1970. */
  readonly againAtMs?: number | undefined;
  /** Of the live evaluation. */
  readonly waits?: HandOver["waits"];
}

/**
 * Reads what the plan needs from the servers and hands over what still holds. A server that does not answer holds up
 * the hand-over alone. Source: MHC-12.1, MHC-12.4
 */
export async function decideHandOver(
  { read, now }: StepContext,
  facts: PlanFacts,
  plan: Plan,
): Promise<HandedOver> {
  const { check, targets } = facts.scene;
  // Nothing is reserved then, so that those which go are all that matters.
  const isUnlimited = plan.owners.length > 0 && hasNoLimit(check, targets.length);
  const among = isUnlimited ? { among: plan.owners } : {};
  const live = await readForHandOver(read, check, { requestKind: facts.requestKind, ...among, now });
  if ("unreadable" in live) return unanswered(facts, plan, live.unreadable, now);
  const touched = new Set(namesOf(isUnlimited ? plan.owners : []));
  if (live.answer === "changed") return { patch: [], touched, events: [] };
  return carriedOut(facts, live.answer, isUnlimited ? touched : undefined, now);
}

/** `together`: names of those whose health is said by the same patch. */
function carriedOut(
  { scene: { check }, statements }: PlanFacts,
  live: LiveFacts,
  together: ReadonlySet<string> | undefined,
  now: Date,
): HandedOver {
  const { occupants, requests } = live;
  const { chosen, leftOvers, againAtMs, waits } = handOver({ check, occupants, now });
  const isExternal = check.spec.remediation?.templateRef !== undefined;
  const said = together === undefined ? new Map<string, ConditionChanges>() : saidOf(statements, together);
  const givenUp = occupants
    .map(({ machine }) => machine)
    .filter((machine) => isExternal && hasGivenUp(machine, requests.get(machine.metadata.name)));
  const owners = isExternal ? [] : chosen;
  return {
    patch: [
      ...owners.flatMap((machine) => handOverPatch(check, machine, now, said.get(machine.metadata.name))),
      ...leftOvers.flatMap((machine) => leftOverPatch(machine, now)),
      ...givenUp.flatMap((machine) => givenUpPatch(machine, now)),
    ],
    touched: new Set([...(together ?? []), ...namesOf([...owners, ...leftOvers, ...givenUp])]),
    events: [],
    againAtMs,
    waits,
  };
}

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
function unanswered(
  { judged }: PlanFacts,
  { owners, leftOvers, givenUp }: Plan,
  problem: string,
  now: Date,
): HandedOver {
  const waiting = new Set(namesOf([...owners, ...leftOvers, ...givenUp]));
  const delays = judged
    .filter(({ machine }) => waiting.has(machine.metadata.name))
    .map((one) => retryMs(one, now))
    .reduce((a, b) => Math.min(a, b));
  return { patch: [], touched: new Set(), events: [blocked(problem)], againAtMs: now.getTime() + delays };
}

function hasFailed({ status }: Machine): boolean {
  return conditionOf(status?.conditions, "HealthCheckSucceeded")?.status === "False";
}

function namesOf(machines: readonly Machine[]): readonly string[] {
  return machines.map(({ metadata }) => metadata.name);
}

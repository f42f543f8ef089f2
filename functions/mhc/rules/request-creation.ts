import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import type { ContractReference, KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { definitionsOf } from "../../../shared/contract/referenced.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { GuardedPatch, NewObject, Notice } from "../../../shared/function/define-function.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { done, type Result, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { conditionOf, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { answered } from "./live-reads.ts";
import { identityOf, markedUnhealthy } from "./machine-writes.ts";
import { blocked } from "./notices.ts";
import { requestFrom } from "./request.ts";
import { CREATION_FAILED, failurePatch, templateName, templateNotFound } from "./request-marks.ts";
import type { RequestKind } from "./request-reads.ts";

const AT_LEAST_MS = 10 * SECOND;
const AT_MOST_MS = 5 * MINUTE;

/** Requests to make, as live reads have chosen them. */
export interface CreationFacts {
  readonly check: MachineHealthCheck;
  /** Read live. */
  readonly machines: readonly Machine[];
  readonly requestKind: RequestKind;
  /** Whether it is this health check that says on a Machine why it gets none. */
  readonly speaks: (machine: Machine) => boolean;
  readonly now: Date;
}

interface Creation {
  readonly create: readonly NewObject[];
  readonly patch: readonly GuardedPatch[];
  readonly events: readonly Notice[];
  readonly result: Result;
}

/**
 * Makes the requests of these Machines from the template as the server has it. A request that cannot be made is said
 * on its Machine, and the others are made all the same.
 * Differs: upstream ends at the first Machine that fails, and writes nothing down.
 */
export async function createRequests(
  { list, live }: Pick<Reader, "list" | "live">,
  facts: CreationFacts,
): Promise<Creation> {
  const { check, machines, requestKind, now } = facts;
  const { namespace = "" } = check.metadata;
  const reference = templateOf(check);
  if (reference === undefined || machines.length === 0) return NOTHING;
  const named = templateName(check);
  if (requestKind.state === "none") {
    const problem = `${named} is not a template; reference a kind that ends in Template`;
    return refused(facts, problem, waitFor("MachineHealthCheck.spec.remediation.templateRef"));
  }
  const read = await answered(() => live.referenced(reference, namespace));
  const again = requeueAfter(retryMs(machines, now), "a template that could not be read");
  if ("unreadable" in read) return { ...NOTHING, events: [blocked(read.unreadable)], result: again };
  const found = read.answer;
  if (found.state === "missing") {
    const isSeen = await isWatched(list, reference);
    return unmade(
      facts,
      templateNotFound(named),
      isSeen ? waitFor("RemediationTemplate.metadata.uid") : again,
    );
  }
  if (found.state === "unresolved") {
    const desired = templateNotFound(named, found.message);
    return unmade(facts, desired, waitFor(awaitedDefinition(found, reference)));
  }
  if (requestKind.state === "unresolved") return refused(facts, requestKind.message, again);
  const source = { template: found.object, kind: requestKind.kind };
  const [first] = machines;
  const sample = first === undefined ? undefined : requestFrom(first, source);
  if (sample !== undefined && "problem" in sample) return refused(facts, sample.problem, again);
  const create = machines.flatMap((machine) => {
    const request = requestFrom(machine, source);
    return "problem" in request ? [] : [asNew(facts, machine, request)];
  });
  return { ...NOTHING, create, result: done };
}

const NOTHING: Creation = { create: [], patch: [], events: [], result: done };

/** Returns the template in the version that the health check names. */
function templateOf({ spec }: MachineHealthCheck): ContractReference | undefined {
  const reference = spec.remediation?.templateRef;
  if (reference === undefined) return undefined;
  const [apiGroup = "", version] = reference.apiVersion.split("/");
  return { apiGroup, version, kind: reference.kind, name: reference.name };
}

/** Whether an event comes when the template does. */
async function isWatched(list: Reader["list"], reference: ContractReference): Promise<boolean> {
  const definitions = await list(CustomResourceDefinition, definitionsOf(reference));
  const definition = definitions.find(({ spec }) => spec.group === reference.apiGroup);
  return definition?.status?.watched === true;
}

/** Returns an object that is created by POST, so that nothing is overwritten, and refused for itself alone. */
function asNew({ check, speaks, now }: CreationFacts, machine: Machine, request: NewObject): NewObject {
  const [ifRefused] = speaks(machine) ? failurePatch(machine, CREATION_FAILED, now) : [];
  return {
    ...request,
    ifFails: {
      event: CREATION_FAILED.reason,
      againAfterMs: retryMs([machine], now),
      about: identityOf(machine),
    },
    ...(ifRefused === undefined ? {} : { ifRefused }),
    announces: markedUnhealthy(check, machine, now),
  };
}

/** The template makes no request: as if the server had refused each, with these words. */
function refused(facts: CreationFacts, problem: string, result: Result): Creation {
  const { events, ...made } = unmade(facts, CREATION_FAILED, result);
  const about = (machine: KubeObject) => ({ about: machine });
  return {
    ...made,
    events: facts.machines.map((machine) => ({
      type: "Warning",
      reason: CREATION_FAILED.reason,
      message: problem,
      ...about(identityOf(machine)),
    })),
  };
}

function unmade(
  { machines, speaks, now }: CreationFacts,
  desired: DesiredCondition,
  result: Result,
): Creation {
  const patch = machines.filter(speaks).flatMap((machine) => failurePatch(machine, desired, now));
  return { ...NOTHING, patch, result };
}

/** Returns half the time for which the oldest of them waits, a backoff that needs no counter. */
function retryMs(machines: readonly Machine[], now: Date): number {
  const agesMs = machines.map(({ status }) => {
    const since = conditionOf(status?.conditions, CREATION_FAILED.type)?.lastTransitionTime;
    return since === undefined ? 0 : now.getTime() - Date.parse(since);
  });
  const leastMs = agesMs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY) / 2;
  return Math.min(AT_MOST_MS, Math.max(AT_LEAST_MS, leastMs));
}

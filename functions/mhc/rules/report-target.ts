import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { RequestReport, TargetReport } from "../../../shared/function/health-report.ts";
import { conditionOf, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { HOLD, isHeld } from "./hand-over.ts";
import { failedAt } from "./health.ts";
import type { Judged } from "./judge.ts";
import { EXTERNAL_MARK } from "./machine-writes.ts";
import {
  calmAtMs,
  type Holder,
  holderOf,
  lastChangeMs,
  leftOverAtMs,
  requestLandsUntilMs,
} from "./places.ts";
import type { Scene } from "./reads.ts";
import { ownerOfRequest } from "./request.ts";
import type { Requests } from "./request-reads.ts";

/** The hand-over as it is decided now. */
export interface Planned {
  /** Names of the Machines that go now. */
  readonly chosen: ReadonlySet<string>;
  /** Why other ones wait. */
  readonly waits?: { readonly because: string; readonly text: string } | undefined;
  /** When time alone changes this, in ms since 1970. */
  readonly againAtMs?: number | undefined;
  /** Machines that a policy lets wait, with its name. */
  readonly refused?: ReadonlyMap<string, string>;
}

export interface TargetFacts {
  readonly scene: Scene;
  readonly requests: Requests;
  readonly planned: Planned;
  readonly now: Date;
}

/** Says what is known of one target. */
export function reportTarget(facts: TargetFacts, judged: Judged): TargetReport {
  const { machine, verdict } = judged;
  const { check } = facts.scene;
  const request = facts.requests.get(machine.metadata.name);
  const holder = holderOf(check, { machine, verdict, hasRequest: request !== undefined }, facts.now);
  return {
    machine: machine.metadata.name,
    verdict: verdict.is,
    ...(verdict.is === "unhealthy" ? { reason: verdict.reason, findings: verdict.texts } : {}),
    ...named("since", textOfTime(sinceMs(judged))),
    ...named("next", textOfTime(nextMs(facts, judged, holder))),
    ...named("place", holder && placeText(holder, judged, request)),
    ...named("waitsFor", waitsFor(facts, judged, { holder, request })),
    ...(request === undefined ? {} : { request: requestReport(request) }),
  };
}

function named<Name extends string>(name: Name, text: string | undefined): { readonly [N in Name]?: string } {
  return text === undefined ? {} : ({ [name]: text } as { readonly [N in Name]: string });
}

/** Returns the time as text; also a Node condition without a time lies within what a date can say. */
function textOfTime(ms: number | undefined): string | undefined {
  const at = new Date(ms ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : timestamp(at);
}

/** Returns since when the verdict holds; where the rules do not know it, since when the condition says so. */
function sinceMs({ machine, verdict }: Judged): number | undefined {
  if ((verdict.is === "unhealthy" || verdict.is === "pending") && verdict.sinceMs !== undefined) {
    return verdict.sinceMs;
  }
  const wanted = { unhealthy: "False", healthy: "True", pending: "", neither: "", unknown: "" }[verdict.is];
  const said = conditionOf(machine.status?.conditions, "HealthCheckSucceeded");
  return said?.status === wanted ? Date.parse(said.lastTransitionTime) : undefined;
}

/** The first moment at which time alone changes the verdict, the place or the wait. */
function nextMs(
  { scene: { check, targets }, planned, now }: TargetFacts,
  { machine, verdict }: Judged,
  holder: Holder | undefined,
): number | undefined {
  const isCalm = planned.waits?.because === "calm" && verdict.is === "unhealthy" && holder === "health";
  const times = [
    verdict.is === "pending" ? verdict.untilMs : undefined,
    isCalm ? calmAtMs(lastChangeMs(targets), machine) : undefined,
    holder === "owner" ? leftOverAtMs(machine) : undefined,
    holder === "landing" ? requestLandsUntilMs(check, machine) : undefined,
  ].flatMap((atMs) => (atMs !== undefined && atMs > now.getTime() ? [atMs] : []));
  return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
}

function placeText(holder: Holder, judged: Judged, request: KubeObject | undefined): string {
  switch (holder) {
    case "owner":
      return ownerText(judged.machine);
    case "request":
      return `${request?.kind} ${request?.metadata.name}`;
    case "landing":
      return "a request that may still appear";
    case "health":
      return healthText(judged);
    default:
      return holder satisfies never;
  }
}

/** A failed check keeps its place where nothing that is seen now explains it: it stays until the Machine is judged. */
function healthText({ machine, verdict }: Judged): string {
  const said = conditionOf(machine.status?.conditions, "HealthCheckSucceeded");
  if (verdict.is === "unhealthy" || said?.status !== "False") return "the Machine itself";
  return `its HealthCheckSucceeded, False since ${said.lastTransitionTime} (${said.reason})`;
}

function ownerText(machine: Machine): string {
  const owner = controllerOf(machine);
  return owner === undefined ? "no controller" : `${owner.kind} ${owner.name}`;
}

interface Held {
  readonly holder: Holder | undefined;
  readonly request: KubeObject | undefined;
}

/** A healthy target that keeps a place waits for who gives it back. */
function waitsFor(facts: TargetFacts, judged: Judged, held: Held): string | undefined {
  const { machine, verdict } = judged;
  if (held.holder === "owner") return `${ownerText(machine)} to act`;
  if (held.request !== undefined) return requestWait(held.request, machine);
  if (verdict.is === "unknown" && held.holder === "health" && failedAt(machine) !== undefined)
    return "its Node to be seen";
  if (verdict.is !== "unhealthy") return undefined;
  return facts.planned.chosen.has(machine.metadata.name) ? "the next run" : handOverWait(facts, judged);
}

function requestWait(request: KubeObject, machine: Machine): string {
  const name = `${request.kind} ${request.metadata.name}`;
  const owner = ownerOfRequest(request, machine);
  if (owner === "foreign") return `${name}, which belongs to another object, to go`;
  if (owner === "part") return `a templateRef that makes requests: Machines consist of ${name}`;
  if (owner === "former") return `${name} of an earlier Machine to be deleted`;
  return isDeleting(request) ? `${name} to be deleted` : `${name} to end`;
}

/** Returns why an unhealthy target is not handed over, the nearest reason first. */
function handOverWait({ scene, planned }: TargetFacts, { machine }: Judged): string {
  const { check } = scene;
  const isExternal = check.spec.remediation?.templateRef !== undefined;
  const statusOf = (type: string) => conditionOf(machine.status?.conditions, type)?.status;
  if (!isExternal && isDeleting(machine)) return "its deletion";
  if (!isExternal && statusOf("OwnerRemediated") === "False") return "a person: it has no controller";
  if (isHeld(machine)) return `annotation ${HOLD} to be removed`;
  const policy = planned.refused?.get(machine.metadata.name);
  if (policy !== undefined) return policy;
  if (planned.waits !== undefined && planned.waits.because !== "policy") return planned.waits.because;
  if (statusOf("HealthCheckSucceeded") !== "False") return "its condition HealthCheckSucceeded";
  if (isExternal && statusOf(EXTERNAL_MARK.type) === undefined) return `its condition ${EXTERNAL_MARK.type}`;
  return "the next run";
}

function requestReport({ apiVersion, kind, metadata }: KubeObject): RequestReport {
  const { name, creationTimestamp, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...named("since", creationTimestamp),
    ...(deletionTimestamp === undefined ? {} : { isDeleting: true }),
  };
}

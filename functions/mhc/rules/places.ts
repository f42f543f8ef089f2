import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import type { Verdict } from "./verdict.ts";

/**
 * A request that was decided while the Machine was unhealthy has landed by then: it leaves within 5 s, is executed
 * within 10 s, and the stamp of the recovery is at most 15 s older than its landing.
 */
const RECOVERED_MS = 30 * SECOND;
/** A place that an owner has not given back is taken back after this time, where another Machine waits for it. */
const LEFT_OVER_MS = 60 * SECOND;
/** Stamps are whole seconds, cut off. */
const STAMP_MS = SECOND;

/** One target as live reads show it. */
export interface Occupant {
  readonly machine: Machine;
  readonly verdict: Verdict;
  /** Its request exists, also one that is being deleted. */
  readonly hasRequest: boolean;
}

/** Who keeps a place: its owner, its request, a request that may still land, or the state of the target alone. */
export type Holder = "owner" | "request" | "landing" | "health";

/** Whether a target counts against the limit. */
export function usesPlace(check: MachineHealthCheck, occupant: Occupant, now: Date): boolean {
  return holderOf(check, occupant, now) !== undefined;
}

/**
 * Returns who keeps the place of a target: its owner or an external controller may still act on it, it is not healthy
 * or its health check has failed, or a request for it may still be under way; `undefined`: it uses none.
 * Differs: upstream counts targets that are not healthy, and so forgets those that only seem to have recovered.
 */
export function holderOf(check: MachineHealthCheck, occupant: Occupant, now: Date): Holder | undefined {
  const { machine, verdict, hasRequest } = occupant;
  if (isWithOwner(machine)) return "owner";
  if (hasRequest) return "request";
  const hasFailed = statusOf(machine, "HealthCheckSucceeded") === "False";
  if (verdict.is !== "healthy" || hasFailed) return "health";
  return (requestLandsUntilMs(check, machine) ?? 0) > now.getTime() ? "landing" : undefined;
}

/** Whether its controller may still act on a hand-over. A Machine without controller is left by everyone. */
function isWithOwner(machine: Machine): boolean {
  return statusOf(machine, "OwnerRemediated") === "False" && controllerOf(machine) !== undefined;
}

/**
 * Returns until when a request for a Machine that has recovered may still appear, in ms since 1970; `undefined`: none
 * was ever asked for.
 */
export function requestLandsUntilMs({ spec }: MachineHealthCheck, machine: Machine): number | undefined {
  const isMarked = conditionOf(machine.status?.conditions, "ExternallyRemediated") !== undefined;
  const recoveredAtMs = turnedMs(machine, "HealthCheckSucceeded", "True");
  if (spec.remediation?.templateRef === undefined || !isMarked || recoveredAtMs === undefined) {
    return undefined;
  }
  return recoveredAtMs + RECOVERED_MS + STAMP_MS;
}

/**
 * Returns when the owner of a Machine that has recovered loses the place that it has not given back, in ms since 1970;
 * `undefined`: it holds none, or the Machine has not recovered.
 */
export function leftOverAtMs(machine: Machine): number | undefined {
  const recoveredAtMs = turnedMs(machine, "HealthCheckSucceeded", "True");
  return isWithOwner(machine) && recoveredAtMs !== undefined
    ? recoveredAtMs + LEFT_OVER_MS + STAMP_MS
    : undefined;
}

/** How long no check of a target must have changed, so that the beginning of a burst is not taken for the whole. */
const CALM_MS = 5 * SECOND;
/** A Machine whose check has failed for this long waits for calm no longer. */
const MAX_WAIT_MS = 60 * SECOND;

/** Returns when the check of one of these last changed, in ms since 1970; `-Infinity`: none has ever been made. */
export function lastChangeMs(targets: readonly Machine[]): number {
  return targets
    .map((machine) => turnedMs(machine, "HealthCheckSucceeded") ?? Number.NEGATIVE_INFINITY)
    .reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/**
 * Returns when a target may be handed over, as far as calm is concerned, in ms since 1970: no target's check has
 * changed for 5 s, or its own has failed for 60 s. `-Infinity` where no check has ever been made.
 * Differs: upstream looks every 15 s and so sees most bursts as a whole.
 */
export function calmAtMs(changedAtMs: number, candidate: Machine): number {
  const failedAtMs = turnedMs(candidate, "HealthCheckSucceeded", "False") ?? Number.POSITIVE_INFINITY;
  return Math.min(changedAtMs + CALM_MS + STAMP_MS, failedAtMs + MAX_WAIT_MS);
}

function statusOf({ status }: Machine, type: string): string | undefined {
  return conditionOf(status?.conditions, type)?.status;
}

/** Returns when a condition got its status, in ms since 1970; `undefined` if absent, or not `wanted`. */
function turnedMs({ status }: Machine, type: string, wanted?: string): number | undefined {
  const found = conditionOf(status?.conditions, type);
  if (found === undefined || (wanted !== undefined && found.status !== wanted)) return undefined;
  const ms = Date.parse(found.lastTransitionTime);
  return Number.isNaN(ms) ? undefined : ms;
}

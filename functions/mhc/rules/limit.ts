import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import type { Verdict } from "./verdict.ts";

const FIELD = "spec.remediation.triggerIf";
const DEFAULT_LIMIT = "100%";
const PERCENTAGE = /^([-+]?\d+)%$/;
const RANGE = /^\[(\d{1,31})-(\d{1,31})\]$/;
const INT32_MAX = 2 ** 31 - 1;
const MAX_QUOTED = 40;

/** How many targets may be not healthy, both bounds inclusive. */
export interface Limit {
  readonly lower: number;
  readonly upper: number;
  /** All targets may be handed over at the same time, so that no place has to be reserved. */
  readonly isNone: boolean;
}

/** Numbers of one health check, and whether they allow a hand-over. */
export interface Budget {
  readonly expectedMachines: number;
  readonly currentHealthy: number;
  /** Targets that are not healthy, whatever else they are. */
  readonly notHealthy: number;
  /** Targets that are unhealthy. */
  readonly unhealthy: number;
  readonly isAllowed: boolean;
  /** The number of remediations that are still allowed, at most 2^31 - 1. */
  readonly remediationsAllowed: number;
  /** Why it is not allowed; empty when it is. */
  readonly message: string;
  /** The limit cannot be read. */
  readonly hasProblem: boolean;
}

type Trigger = NonNullable<NonNullable<MachineHealthCheck["spec"]["remediation"]>["triggerIf"]>;

/**
 * Returns the limit of a health check for this many targets, or what is wrong with it. A range wins over the other
 * field; a percentage is rounded down.
 */
export function limitOf(
  { spec }: MachineHealthCheck,
  expectedMachines: number,
): Limit | { readonly problem: string } {
  const trigger = spec.remediation?.triggerIf ?? {};
  if (trigger.unhealthyInRange !== undefined) return rangeOf(trigger.unhealthyInRange);
  const limit = trigger.unhealthyLessThanOrEqualTo ?? DEFAULT_LIMIT;
  if (typeof limit === "number") return { lower: 0, upper: limit, isNone: false };
  const percent = Number(PERCENTAGE.exec(limit)?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(percent)) {
    return {
      problem: `${FIELD}.unhealthyLessThanOrEqualTo: ${quoted(limit)} is neither a number nor a percentage; write it as 2 or "40%"`,
    };
  }
  return { lower: 0, upper: Math.floor((percent * expectedMachines) / 100), isNone: percent >= 100 };
}

/** Whether all targets may be handed over at the same time, so that no place has to be reserved. */
export function hasNoLimit(check: MachineHealthCheck, expectedMachines: number): boolean {
  const limit = limitOf(check, expectedMachines);
  return "isNone" in limit && limit.isNone;
}

/** Differs: upstream's controller fails for ever on such a range; here it is said once. */
function rangeOf(text: string): Limit | { readonly problem: string } {
  const [, low, high] = RANGE.exec(text) ?? [];
  const [lower, upper] = [Number(low), Number(high)];
  // Comparisons with a value that is not a number are false.
  if (lower <= upper && upper <= INT32_MAX) return { lower, upper, isNone: false };
  return {
    problem: `${FIELD}.unhealthyInRange: ${quoted(text)} is not [low-high] with the smaller number first and neither above ${INT32_MAX}; write it as "[1-3]"`,
  };
}

/**
 * Returns the counts of a health check and whether its limit allows to start a remediation: only healthy targets use
 * nothing of it. It gates the start, and is exceeded, not reached.
 */
export function budgetOf(check: MachineHealthCheck, verdicts: readonly Verdict[]): Budget {
  const count = (is: Verdict["is"]) => verdicts.filter((verdict) => verdict.is === is).length;
  const expectedMachines = verdicts.length;
  const currentHealthy = count("healthy");
  const notHealthy = expectedMachines - currentHealthy;
  const counts = { expectedMachines, currentHealthy, notHealthy, unhealthy: count("unhealthy") };
  const limit = limitOf(check, expectedMachines);
  if ("problem" in limit) {
    const message = limit.problem;
    return { ...counts, isAllowed: false, remediationsAllowed: 0, message, hasProblem: true };
  }
  const isAllowed = limit.lower <= notHealthy && notHealthy <= limit.upper;
  return {
    ...counts,
    isAllowed,
    remediationsAllowed: isAllowed ? Math.min(limit.upper - notHealthy, INT32_MAX) : 0,
    message: isAllowed ? "" : refusal(check.spec.remediation?.triggerIf ?? {}, counts),
    hasProblem: false,
  };
}

/** Differs from the counts: `unhealthy` leaves out targets that have not failed yet, as upstream does. */
function refusal(
  { unhealthyInRange, unhealthyLessThanOrEqualTo = DEFAULT_LIMIT }: Trigger,
  { expectedMachines, unhealthy }: Pick<Budget, "expectedMachines" | "unhealthy">,
): string {
  const begin = "Remediation is not allowed, the number of not started or unhealthy machines";
  const numbers = `total: ${expectedMachines}, unhealthy: ${unhealthy}`;
  return unhealthyInRange === undefined
    ? `${begin} exceeds maxUnhealthy (${numbers}, maxUnhealthy: ${unhealthyLessThanOrEqualTo})`
    : `${begin} does not fall within the range (${numbers}, unhealthyRange: ${unhealthyInRange})`;
}

function quoted(text: string): string {
  return JSON.stringify(truncate(text, MAX_QUOTED));
}

import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { Judged } from "./judge.ts";

const AT_LEAST_MS = 10 * SECOND;
const AT_MOST_MS = 5 * MINUTE;
const WITHOUT_AGE_MS = MINUTE;

/**
 * Returns when something that a server has refused about this target is tried again: half the age of its verdict, a
 * backoff that needs no counter.
 */
export function retryMs(judged: Pick<Judged, "machine" | "node" | "verdict">, now: Date): number {
  const ageMs = verdictAgeMs(judged, now);
  if (ageMs === undefined) return WITHOUT_AGE_MS;
  return Math.min(AT_MOST_MS, Math.max(AT_LEAST_MS, ageMs / 2));
}

/** Returns how long a target has had its verdict; `undefined` where that is not known. */
export function verdictAgeMs(
  { machine, node, verdict }: Pick<Judged, "machine" | "node" | "verdict">,
  now: Date,
): number | undefined {
  if (verdict.is === "unhealthy" && verdict.sinceMs !== undefined) return now.getTime() - verdict.sinceMs;
  const stored = conditionOf(machine.status?.conditions, "HealthCheckSucceeded");
  if (verdict.is === "unhealthy" && stored?.status === "False") return ageOf(stored.lastTransitionTime, now);
  if (verdict.is !== "healthy" || typeof node === "string") return undefined;
  const ages = (node.status?.conditions ?? []).flatMap(
    ({ lastTransitionTime }) => ageOf(lastTransitionTime, now) ?? [],
  );
  return ages.length === 0 ? undefined : ages.reduce((a, b) => Math.min(a, b));
}

function ageOf(time: string | undefined, now: Date): number | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : now.getTime() - ms;
}

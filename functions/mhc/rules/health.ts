import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
} from "../../../shared/rules/conditions/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import type { Unhealthy, Verdict } from "./verdict.ts";

const TYPE = "HealthCheckSucceeded";

/** Returns when the health check of a Machine failed, as its condition says, RFC 3339; `undefined`: it has not. */
export function failedAt({ status }: Machine): string | undefined {
  const found = conditionOf(status?.conditions, TYPE);
  return found?.status === "False" ? found.lastTransitionTime : undefined;
}

/** Returns when the last of these Machines failed: the occasion of Events. Whole seconds in UTC sort as texts. */
export function lastFailure(machines: readonly Machine[]): { readonly occasion?: string } {
  const occasion = machines
    .flatMap((machine) => failedAt(machine) ?? [])
    .toSorted()
    .at(-1);
  return occasion === undefined ? {} : { occasion };
}

/** One statement in both families of conditions. */
interface ConditionPair {
  readonly present: DesiredCondition;
  readonly deprecated: DesiredDeprecatedCondition;
}

/** The verdict of one health check about a Machine. */
export interface Opinion {
  readonly check: MachineHealthCheck;
  readonly verdict: Verdict;
}

/** The common statement of all health checks that select a Machine. */
export interface Health {
  /** Name of the health check that writes it: the first one by name, so that each of them knows. */
  readonly lead: string;
  /** The new condition; `undefined`: the condition stays as it is. */
  readonly condition: ConditionPair | undefined;
}

/**
 * Merges the opinions of all health checks that select a Machine and are not paused; there is at least one. One
 * that is unhealthy for any of them is unhealthy, in the words of the first of these by name. It is healthy when one
 * says so and no other lacks its Node.
 * Differs: upstream health checks that overlap overwrite each other.
 */
export function healthOf(opinions: readonly Opinion[]): Health {
  const ordered = opinions.toSorted((a, b) => compareText(a.check.metadata.name, b.check.metadata.name));
  const verdicts = ordered.map(({ verdict }) => verdict);
  const failure = verdicts.find((verdict) => verdict.is === "unhealthy");
  const isHealthy =
    verdicts.some(({ is }) => is === "healthy") && !verdicts.some(({ is }) => is === "unknown");
  const lead = ordered[0]?.check.metadata.name ?? "";
  if (failure !== undefined) return { lead, condition: failed(failure) };
  return { lead, condition: isHealthy ? SUCCEEDED : undefined };
}

const SUCCEEDED: ConditionPair = {
  present: condition(TYPE, "True", TYPE),
  deprecated: deprecatedCondition(TYPE, "True"),
};

/** The condition of an unhealthy Machine, in both families. */
function failed({ reason, texts }: Unhealthy): ConditionPair {
  if (reason === "HasRemediateAnnotation") {
    return pair(
      reason,
      "Health check failed: marked for remediation via cluster.x-k8s.io/remediate-machine annotation",
      {
        reason: "HasRemediateMachineAnnotation",
        message: "Marked for remediation via remediate-machine annotation",
      },
    );
  }
  const lines = texts.map((text) => `\n  * ${text}`).join("");
  const isDeleted = reason === "NodeDeleted";
  return pair(reason, `Health check failed:${lines}`, {
    reason: isDeleted ? "NodeNotFound" : reason,
    message: isDeleted ? "" : texts.join("; "),
  });
}

function pair(
  reason: string,
  message: string,
  deprecated: { readonly reason: string; readonly message: string },
): ConditionPair {
  return {
    present: condition(TYPE, "False", reason, message),
    deprecated: deprecatedCondition(TYPE, "False", { severity: "Warning", ...deprecated }),
  };
}

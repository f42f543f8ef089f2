import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  deprecatedCondition,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { splitBySpeaker } from "./overlap.ts";
import { templateName, templateNotFound } from "./request-marks.ts";
import { type Counted, REQUEST_AVAILABLE, TEMPLATE_AVAILABLE } from "./view.ts";

/** Returns `RemediationAllowed` of the older family; `message`: why it is not. */
export function olderAllowed(message: string | undefined): DesiredDeprecatedCondition {
  return message === undefined
    ? deprecatedCondition("RemediationAllowed", "True")
    : deprecatedCondition("RemediationAllowed", "False", {
        severity: "Warning",
        reason: "TooManyUnhealthy",
        message,
      });
}

/** The conditions that only a health check with a template has: the failure may be that of another check. */
export function withoutExternal(
  stored: readonly DeprecatedCondition[] | undefined,
): readonly DeprecatedCondition[] | undefined {
  return stored?.filter(({ type }) => type !== TEMPLATE_AVAILABLE && type !== REQUEST_AVAILABLE);
}

/**
 * The two conditions about external remediation, of a health check with a template: False while an unhealthy target shows
 * the failure of this one, True again once no target does and the template, or a request, exists. Where another health
 * check speaks for the target, a template that does not exist is said all the same.
 * Differs: upstream never sets them True.
 */
export function externalConditions(
  check: MachineHealthCheck,
  counted: Counted,
): readonly DesiredDeprecatedCondition[] {
  const stored = check.status?.deprecated?.v1beta1?.conditions;
  const { exists } = counted;
  const { own, others } = splitBySpeaker(check, counted);
  const isUnsaid = exists.template === false && others.length > 0;
  return [
    externalCondition(TEMPLATE_AVAILABLE, stored, {
      failure:
        failureOf(own, "RemediationTemplateNotFound") ??
        (isUnsaid ? templateNotFound(templateName(check)).message : undefined),
      reason: "ExternalRemediationTemplateNotFound",
      exists: exists.template,
    }),
    externalCondition(REQUEST_AVAILABLE, stored, {
      failure: failureOf(own, "RemediationRequestCreationFailed"),
      reason: "ExternalRemediationRequestCreationFailed",
      exists: exists.request,
    }),
  ].flat();
}

interface External {
  /** Words of the first target that shows it. */
  readonly failure: string | undefined;
  readonly reason: string;
  readonly exists: boolean | undefined;
}

function externalCondition(
  type: string,
  stored: readonly DeprecatedCondition[] | undefined,
  { failure, reason, exists }: External,
): readonly DesiredDeprecatedCondition[] {
  if (failure !== undefined) {
    return [deprecatedCondition(type, "False", { severity: "Error", reason, message: failure })];
  }
  const isBack = conditionOf(stored, type)?.status === "False" && exists === true;
  return isBack ? [deprecatedCondition(type, "True")] : [];
}

function failureOf(targets: readonly Machine[], reason: string): string | undefined {
  return targets
    .map(({ status }) => conditionOf(status?.conditions, "ExternallyRemediated"))
    .find((found) => found?.status === "False" && found.reason === reason)?.message;
}

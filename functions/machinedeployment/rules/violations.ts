import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { isLabelKey, isLabelValue } from "../../../shared/api/names.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { PREFLIGHT_CHECKS, SKIP_PREFLIGHT, skippedIn } from "../../../shared/rules/machines/annotations.ts";
import { defaultReplicas } from "../../../shared/rules/machines/node-group-size.ts";
import {
  type Check,
  templateChecks,
  violationsAmong,
} from "../../../shared/rules/machines/template-violations.ts";
import { deploymentProblem } from "../../../shared/rules/rollout/problems.ts";

/** An author may write keys of a mebibyte, and an Event holds a kibibyte. */
const MAX_QUOTED = 80;
const KNOWN_CHECKS: ReadonlySet<string> = new Set(PREFLIGHT_CHECKS);

/**
 * Returns the rules of admission that the deployment breaks, as Events that name the field. Those that keep it from
 * having Machines stand in its condition `ScalingUp`, too.
 */
export function deploymentViolations(deployment: MachineDeployment): readonly Notice[] {
  const problem = deploymentProblem(deployment);
  return violationsAmong([
    [problem !== undefined, "InvalidSpec", problem ?? ""],
    ...templateChecks(deployment, defaultReplicas(deployment)).filter(([, , message]) => message !== problem),
    ...metadataChecks(deployment),
    skipCheck(deployment),
  ]);
}

/** Labels and annotations of the template, which no Machine could have. */
function metadataChecks({ spec }: MachineDeployment): readonly Check[] {
  const { labels = {}, annotations = {} } = spec.template.metadata ?? {};
  const path = "spec.template.metadata";
  const badKey = [...Object.keys(labels), ...Object.keys(annotations)].find((key) => !isLabelKey(key));
  const badLabel = Object.entries(labels).find(([, value]) => !isLabelValue(value));
  return [
    [
      badKey !== undefined,
      "InvalidSpec",
      `${path} has the key ${truncate(badKey ?? "", MAX_QUOTED)}, which no label or annotation may have`,
    ],
    [
      badLabel !== undefined,
      "InvalidSpec",
      `${path}.labels[${badLabel?.[0]}] is ${truncate(badLabel?.[1] ?? "", MAX_QUOTED)}, which is not a label value`,
    ],
  ];
}

function skipCheck({ metadata }: MachineDeployment): Check {
  const unknown = skippedIn(metadata.annotations?.[SKIP_PREFLIGHT]).find((name) => !KNOWN_CHECKS.has(name));
  return [
    unknown !== undefined,
    "InvalidSpec",
    `annotation ${SKIP_PREFLIGHT} names ${truncate(unknown ?? "", MAX_QUOTED)}; the checks are ${PREFLIGHT_CHECKS.join(", ")}`,
  ];
}

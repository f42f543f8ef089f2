import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { isLabelKey, isLabelValue } from "../../../shared/api/names.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { defaultReplicas } from "../../../shared/rules/machines/node-group-size.ts";
import { templateChecks, violationsAmong } from "../../../shared/rules/machines/template-violations.ts";

/**
 * Returns the rules of admission that the pool breaks, as Events that name the field. The pool is reconciled all the
 * same: a stored object may be older than a rule.
 */
export function poolViolations(pool: MachinePool): readonly Notice[] {
  const { taints = [] } = pool.spec.template.spec;
  return violationsAmong([
    ...templateChecks(pool, defaultReplicas(pool)),
    [taints.length > 0, "InvalidSpec", "spec.template.spec.taints is not supported for pools"],
    ...metadataProblems(pool).map((problem) => [true, "InvalidSpec", problem] as const),
  ]);
}

/** Labels and annotations that no Machine of the pool could carry. */
function metadataProblems({ spec }: MachinePool): readonly string[] {
  const { labels = {}, annotations = {} } = spec.template.metadata ?? {};
  const path = "spec.template.metadata";
  return [
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...(isLabelKey(key) ? [] : [`${path}.labels has the key ${key}, which is not a label key`]),
      ...(isLabelValue(value) ? [] : [`${path}.labels[${key}] is ${value}, which is not a label value`]),
    ]),
    ...Object.keys(annotations).flatMap((key) =>
      // The API server ignores the case of these.
      isLabelKey(key.toLowerCase())
        ? []
        : [`${path}.annotations has the key ${key}, which is not an annotation key`],
    ),
  ];
}

import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { MAX_SIZE, MIN_SIZE } from "../../../shared/rules/machines/node-group-size.ts";
import { isPrefixedVersion } from "../../../shared/rules/machines/versions.ts";
import { setProblem } from "./problems.ts";
import { defaultReplicas } from "./replicas.ts";

/**
 * Returns the rules of admission that the set breaks, as Events that name the field. Those that keep it from
 * having Machines stand in its condition `ScalingUp`, too. Source: MS-2
 */
export function setViolations(set: MachineSet): readonly Notice[] {
  const { clusterName, replicas, template } = set.spec;
  const { bootstrap, version } = template.spec;
  const problem = setProblem(set);
  const checks: readonly (readonly [boolean, string, string])[] = [
    [problem !== undefined, "InvalidSpec", problem ?? ""],
    [
      bootstrap.configRef === undefined && bootstrap.dataSecretName === undefined,
      "MissingBootstrap",
      "spec.template.spec.bootstrap needs configRef or dataSecretName",
    ],
    [
      version !== undefined && !isPrefixedVersion(version),
      "InvalidVersion",
      `spec.template.spec.version ${version} is not a semantic version with v in front`,
    ],
    [
      template.spec.clusterName !== clusterName,
      "InvalidSpec",
      `spec.template.spec.clusterName is not ${clusterName}`,
    ],
    [
      replicas === undefined && defaultReplicas(set) === undefined,
      "InvalidSpec",
      `spec.replicas is missing and ${MIN_SIZE} and ${MAX_SIZE} are not counts`,
    ],
  ];
  return checks.flatMap(([violated, reason, message]) =>
    violated ? [{ type: "Warning", reason, message } as const] : [],
  );
}

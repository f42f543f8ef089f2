import type { MachineDeployment } from "../../api/machinedeployment.ts";
import type { MachinePool } from "../../api/machinepool.ts";
import type { MachineSet } from "../../api/machineset.ts";
import type { Notice } from "../../function/define-function.ts";
import { MAX_SIZE, MIN_SIZE } from "./node-group-size.ts";
import { isWholeVersion } from "./versions.ts";

/** A rule of admission: whether the object breaks it, and the reason and message of its Event. */
export type Check = readonly [
  isViolated: boolean,
  reason: "MissingBootstrap" | "InvalidVersion" | "InvalidSpec",
  message: string,
];

/**
 * Returns the rules of admission for an object with a template of Machines. `defaultReplicas` is what stands for absent
 * `spec.replicas`; `undefined`: the annotations of the autoscaler do not say it.
 * Differs: a version without `v` is read with it and written with it into Machines and statuses; upstream's admission
 * rewrites it where its author wrote it, and the next server-side apply of the author is a conflict.
 */
export function templateChecks(
  { spec }: MachineDeployment | MachinePool | MachineSet,
  defaultReplicas: number | undefined,
): readonly Check[] {
  const { clusterName, replicas, template } = spec;
  const { bootstrap, version } = template.spec;
  return [
    [
      bootstrap.configRef === undefined && bootstrap.dataSecretName === undefined,
      "MissingBootstrap",
      "spec.template.spec.bootstrap needs configRef or dataSecretName",
    ],
    [
      version !== undefined && !isWholeVersion(version),
      "InvalidVersion",
      `spec.template.spec.version ${version} is not a semantic version`,
    ],
    [
      template.spec.clusterName !== clusterName,
      "InvalidSpec",
      `spec.template.spec.clusterName is not ${clusterName}`,
    ],
    [
      replicas === undefined && defaultReplicas === undefined,
      "InvalidSpec",
      `spec.replicas is missing and ${MIN_SIZE} and ${MAX_SIZE} are not counts`,
    ],
  ];
}

/** Returns a Warning for each rule that is broken. */
export function violationsAmong(checks: readonly Check[]): readonly Notice[] {
  return checks.flatMap(([isViolated, reason, message]) =>
    isViolated ? [{ type: "Warning", reason, message } as const] : [],
  );
}

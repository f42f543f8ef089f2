import { toContractReference } from "./contract-reference.ts";
import type { MovedField } from "./moved-fields.ts";
import { toSeconds } from "./seconds.ts";

/**
 * Returns the fields that moved in the spec of a Machine, or of a template of Machines; `path` leads to it, as in
 * `spec.template.spec`.
 */
export function movedInMachineSpec(path: string): readonly MovedField[] {
  const reference = (field: string): MovedField => ({
    from: `${path}.${field}`,
    to: `${path}.${field}`,
    as: toContractReference,
  });
  const timeout = (field: string): MovedField => ({
    from: `${path}.${field}`,
    to: `${path}.deletion.${field}Seconds`,
    as: toSeconds,
  });
  return [
    reference("bootstrap.configRef"),
    reference("infrastructureRef"),
    timeout("nodeDrainTimeout"),
    timeout("nodeVolumeDetachTimeout"),
    timeout("nodeDeletionTimeout"),
  ];
}

/**
 * Returns the fields of it that may be empty in v1beta1. An empty `bootstrap.dataSecretName` is a value in
 * both versions.
 */
export function emptyInMachineSpec(path: string): readonly string[] {
  return ["version", "providerID", "failureDomain", "readinessGates", "taints"].map(
    (field) => `${path}.${field}`,
  );
}

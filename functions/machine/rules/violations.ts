import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { violationsAmong } from "../../../shared/rules/machines/template-violations.ts";
import { isWholeVersion } from "../../../shared/rules/machines/versions.ts";

/**
 * Returns the rules of admission that the Machine breaks, as Events that name the field. It is reconciled all the same: a
 * stored object may be older than a rule.
 * Differs: a version without `v` is read with it and never rewritten, or its author's next server-side apply were a
 * conflict.
 */
export function machineViolations({ spec }: Machine): readonly Notice[] {
  const { bootstrap, version } = spec;
  return violationsAmong([
    [
      bootstrap.configRef === undefined && bootstrap.dataSecretName === undefined,
      "MissingBootstrap",
      "spec.bootstrap needs configRef or dataSecretName",
    ],
    [
      version !== undefined && !isWholeVersion(version),
      "InvalidVersion",
      `spec.version ${version} is not a semantic version`,
    ],
  ]);
}

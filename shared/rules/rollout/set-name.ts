import type { MachineDeployment } from "../../api/machinedeployment.ts";
import { hashOf, MAX_NAME_STEM, suffixOf } from "../machines/machine-names.ts";
import { prefixedVersion } from "../machines/versions.ts";

/** The name of a set that is still to be made, and the value of its label `machine-template-hash`. */
export interface SetName {
  readonly name: string;
  /** `<32-bit number>-<the last five characters of the name>` */
  readonly hash: string;
}

/**
 * Returns the name of the set that a deployment needs: it follows from what the set is for, so that two runs, a late one
 * and one after a lost answer all mean the same set. `after` is `spec.rollout.after` in epoch milliseconds once it is
 * past, for a restart needs another set of the same template; `inTheWay` are the uids of other sets that have had the
 * name so far.
 */
export function setNameFor(
  { metadata, spec }: MachineDeployment,
  after: number | undefined,
  inTheWay: readonly string[] = [],
): SetName {
  const { version, bootstrap, infrastructureRef, failureDomain } = spec.template.spec;
  const { configRef, dataSecretName } = bootstrap;
  const hash = hashOf(
    JSON.stringify([
      metadata.uid,
      version === undefined ? "" : prefixedVersion(version),
      [configRef?.apiGroup, configRef?.kind, configRef?.name, dataSecretName],
      [infrastructureRef.apiGroup, infrastructureRef.kind, infrastructureRef.name],
      failureDomain ?? "",
      after === undefined ? "" : Math.floor(after / 1000),
      ...inTheWay,
    ]),
  );
  const suffix = suffixOf(hash);
  return {
    name: `${`${metadata.name}-`.slice(0, MAX_NAME_STEM)}${suffix}`,
    hash: `${hash >> 24n}-${suffix}`,
  };
}

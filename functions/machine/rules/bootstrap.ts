import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { managersOf } from "../../../shared/function/define-function.ts";
import {
  type BootstrapData,
  bootstrapData,
  userAmong,
} from "../../../shared/rules/providers/bootstrap-data.ts";
import { ownObject } from "./adoption.ts";

export const DATA_SECRET_NAME = "spec.bootstrap.dataSecretName";

/** The managers of sets hold the name for the author of their template: they count as users. */
const OURS = "capstan-machine-sync";

/** Returns the bootstrap data of a Machine. Without `configRef` the latch stays unset. */
export function bootstrapReport(machine: Machine, found: Referenced | undefined): BootstrapData {
  const { configRef, dataSecretName } = machine.spec.bootstrap;
  if (configRef === undefined) return dataSecretName === undefined ? {} : { provided: true };
  return bootstrapData(overriddenBy(machine), ownObject(machine, found));
}

/** An empty name does not override: the copy happens where the name is missing. */
function overriddenBy(machine: Machine): string | undefined {
  if ((machine.spec.bootstrap.dataSecretName ?? "") === "") return undefined;
  return userAmong(managersOf(machine, DATA_SECRET_NAME), (manager) => manager === OURS);
}

/**
 * The latch `bootstrapDataSecretCreated` as it is from now on: once true it stays. It appears with the name in the spec,
 * so that who sees the one sees the other: the config had created the data when its name was copied, whatever it says by
 * now, and Cluster API writes both at once. Not where the config is gone: that of a Machine which was recreated went with
 * the former one, and its set makes another while the latch is unset.
 */
export function isDataCreated(machine: Machine, found: Referenced | undefined): boolean {
  const { configRef, dataSecretName = "" } = machine.spec.bootstrap;
  if (machine.status?.initialization?.bootstrapDataSecretCreated === true) return true;
  if (configRef === undefined || dataSecretName === "") return false;
  const isKept = found?.state === "unresolved" || overriddenBy(machine) !== undefined;
  return isKept || ownObject(machine, found) !== undefined;
}

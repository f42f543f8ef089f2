import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { managersOf } from "../../../shared/function/define-function.ts";
import {
  type BootstrapData,
  bootstrapData,
  userAmong,
} from "../../../shared/rules/providers/bootstrap-data.ts";
import { ownObject } from "./adoption.ts";

export const DATA_SECRET_NAME = "spec.template.spec.bootstrap.dataSecretName";

/** Returns the bootstrap data of a pool. */
export function bootstrapReport(pool: MachinePool, found: Referenced | undefined): BootstrapData {
  const { configRef, dataSecretName } = pool.spec.template.spec.bootstrap;
  if (configRef === undefined) return dataSecretName === undefined ? {} : { created: true, provided: true };
  return bootstrapData(overriddenBy(pool), ownObject(pool, found));
}

function overriddenBy(pool: MachinePool): string | undefined {
  if (pool.spec.template.spec.bootstrap.dataSecretName === undefined) return undefined;
  return userAmong(managersOf(pool, DATA_SECRET_NAME), (manager) => manager.startsWith("capstan-"));
}

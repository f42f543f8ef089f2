import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { bootstrapConfigPath } from "../../../shared/contract/bootstrap-config.ts";
import { infraMachinePoolPath } from "../../../shared/contract/infra-machine-pool.ts";
import { awaitedField } from "../../../shared/rules/providers/adoption.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { poolClaim } from "./adoption.ts";
import { bootstrapReport } from "./bootstrap.ts";
import { infrastructureReport } from "./infrastructure.ts";
import { bootstrapOf, infrastructureOf } from "./providers.ts";

/** Returns the field of the bootstrap object, or about it, that has to change before its data can be used. */
export function awaitedData(pool: MachinePool, providers: MachineProviders): string {
  const provider = bootstrapOf(pool, providers);
  if (provider === undefined) return "MachinePool.spec.template.spec.bootstrap.configRef";
  const { created } = bootstrapReport(pool, providers.bootstrap);
  const field = created === false ? "dataSecretCreated" : "dataSecretName";
  return awaitedField(poolClaim(pool), provider, (contract) => bootstrapConfigPath(contract, field));
}

/** Returns the same of the infrastructure object and its instances. */
export function awaitedFleet(pool: MachinePool, providers: MachineProviders): string {
  const { provisioned } = infrastructureReport(pool, providers.infrastructure);
  const field = provisioned === true ? "providerIDList" : "ready";
  const provider = infrastructureOf(pool, providers);
  return awaitedField(poolClaim(pool), provider, (contract) => infraMachinePoolPath(contract, field));
}

import type { Machine } from "../../../shared/api/machine/machine.ts";
import { bootstrapConfigPath } from "../../../shared/contract/bootstrap-config.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import { infraMachinePath } from "../../../shared/contract/infra-machine.ts";
import { awaitedField } from "../../../shared/rules/providers/adoption.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { machineClaim, ownObject } from "./adoption.ts";
import { bootstrapReport } from "./bootstrap.ts";
import { bootstrapOf, infrastructureOf } from "./providers.ts";

/** Returns the field of the config, or about it, that has to change before its data can be used. */
export function awaitedData(machine: Machine, providers: MachineProviders): string {
  const provider = bootstrapOf(machine, providers);
  if (provider === undefined) return "Machine.spec.bootstrap.configRef";
  const { created } = bootstrapReport(machine, providers.bootstrap);
  const field = created === false ? "dataSecretCreated" : "dataSecretName";
  return awaitedField(machineClaim(machine, undefined), provider, (contract) =>
    bootstrapConfigPath(contract, field),
  );
}

/** Returns the field of the infrastructure machine, or about it, that has to change before it has a provider ID. */
export function awaitedProviderID(machine: Machine, providers: MachineProviders): string {
  const provider = infrastructureOf(machine, providers);
  return awaitedField(machineClaim(machine, undefined), provider, (contract) => {
    const own = ownObject(machine, providers.infrastructure);
    const flag = infraMachinePath(contract, "provisioned");
    const isProvisioned = own !== undefined && readBoolean(own.object, flag).value === true;
    return isProvisioned ? infraMachinePath(contract, "providerID") : flag;
  });
}

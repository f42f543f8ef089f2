import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { pointerOf, valueAt } from "../../../shared/api/path.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { awaitedData, awaitedProviderID } from "./awaited.ts";
import { bootstrapReport, DATA_SECRET_NAME } from "./bootstrap.ts";
import { infrastructureReport, PROVIDER_ID } from "./infrastructure.ts";

/** The fields of a Machine that are copied from its provider objects. */
export const COPIED_FIELDS = [DATA_SECRET_NAME, PROVIDER_ID, "spec.failureDomain"] as const;

/** Values for the copied fields; absent means keep. */
export type DesiredMachineSpec = { readonly [Field in (typeof COPIED_FIELDS)[number]]?: string | undefined };

export function desiredMachineSpec(machine: Machine, providers: MachineProviders): DesiredMachineSpec {
  const { dataSecretName } = bootstrapReport(machine, providers.bootstrap);
  const { providerID, wantedFailureDomain } = infrastructureReport(machine, providers.infrastructure);
  return {
    [DATA_SECRET_NAME]: dataSecretName,
    [PROVIDER_ID]: providerID,
    "spec.failureDomain": wantedFailureDomain,
  };
}

/** Operations for the values that differ; never removes one. */
export function machineSpecPatch(machine: Machine, desired: DesiredMachineSpec): readonly PatchOperation[] {
  return COPIED_FIELDS.flatMap((path) => {
    const value = desired[path];
    return value === undefined || value === valueAt(machine, path)
      ? []
      : [{ op: "add", path: pointerOf(path), value } as const];
  });
}

/** The field that a Machine still waits for before its spec is complete; undefined = nothing is missing. */
export function machineSpecAwaits(machine: Machine, providers: MachineProviders): string | undefined {
  const { bootstrap, providerID } = machine.spec;
  const data = bootstrapReport(machine, providers.bootstrap);
  const name = bootstrap.dataSecretName ?? data.dataSecretName;
  if (bootstrap.configRef !== undefined && (name ?? "") === "") return awaitedData(machine, providers);
  const infrastructure = infrastructureReport(machine, providers.infrastructure);
  return infrastructure.providerID === undefined && providerID === undefined
    ? awaitedProviderID(machine, providers)
    : undefined;
}

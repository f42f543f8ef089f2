import type { ContractVersion } from "../api/kinds.ts";
import { Machine } from "../api/machine/machine.ts";
import { MachinePool } from "../api/machinepool.ts";
import type { ContractKind } from "./contract-kind.ts";
import { FAILURE } from "./failure.ts";
import { everyPath } from "./paths.ts";

/** Provider kind that produces bootstrap data for Machines and MachinePools. */
export const BootstrapConfig: ContractKind = {
  contract: "BootstrapConfig",
  referencedBy: [
    { kind: MachinePool, path: "spec.template.spec.bootstrap.configRef" },
    { kind: Machine, path: "spec.bootstrap.configRef" },
  ],
};

/** Field paths by contract version. */
const PATHS = {
  v1beta1: {
    dataSecretCreated: "status.ready",
    dataSecretName: "status.dataSecretName",
    ...FAILURE,
  },
  v1beta2: {
    dataSecretCreated: "status.initialization.dataSecretCreated",
    dataSecretName: "status.dataSecretName",
    ...FAILURE,
  },
} as const;
export type BootstrapConfigField = keyof (typeof PATHS)[ContractVersion];

export function bootstrapConfigPath(contract: ContractVersion, field: BootstrapConfigField): string {
  return PATHS[contract][field];
}

/** The paths of fields under every contract version, for watches. */
export function bootstrapConfigPaths(...fields: readonly BootstrapConfigField[]): readonly string[] {
  return everyPath(PATHS, fields);
}

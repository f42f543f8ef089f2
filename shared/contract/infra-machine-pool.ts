import type { ContractVersion } from "../api/kinds.ts";
import { MachinePool } from "../api/machinepool.ts";
import type { ContractKind } from "./contract-kind.ts";
import { FAILURE } from "./failure.ts";
import { everyPath } from "./paths.ts";

/** Provider kind that runs the instances of a MachinePool. */
export const InfraMachinePool: ContractKind = {
  contract: "InfraMachinePool",
  referencedBy: [{ kind: MachinePool, path: "spec.template.spec.infrastructureRef" }],
};

const FIELDS = {
  providerIDList: "spec.providerIDList",
  ready: "status.ready",
  provisioned: "status.initialization.provisioned",
  replicas: "status.replicas",
  infrastructureMachineKind: "status.infrastructureMachineKind",
  ...FAILURE,
} as const;
export type InfraMachinePoolField = keyof typeof FIELDS;

/**
 * Field paths by contract version. Both are the same: also under v1beta2 `status.ready` decides, and `provisioned`
 * counts where it is absent. Source: PC-6.1, PC-6.2, PC-6.3, PC-6.4
 */
const PATHS = { v1beta1: FIELDS, v1beta2: FIELDS } as const;

export function infraMachinePoolPath(contract: ContractVersion, field: InfraMachinePoolField): string {
  return PATHS[contract][field];
}

/** The paths of fields under every contract version, for watches. */
export function infraMachinePoolPaths(...fields: readonly InfraMachinePoolField[]): readonly string[] {
  return everyPath(PATHS, fields);
}

import type { ContractVersion } from "../api/kinds.ts";
import type { ContractKind } from "./contract-kind.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "./infra-machine-pool.ts";
import { everyPath } from "./paths.ts";

/** Provider kind for one instance of a pool whose provider supports Machines. */
export const InfraMachine: ContractKind = {
  contract: "InfraMachine",
  referencedBy: [],
  announcedBy: { kind: InfraMachinePool, paths: infraMachinePoolPaths("infrastructureMachineKind") },
};

const FIELDS = { providerID: "spec.providerID" } as const;

/** Both contract versions agree. Source: IMP-21 */
const PATHS = { v1beta1: FIELDS, v1beta2: FIELDS } as const;

export function infraMachinePath(contract: ContractVersion, field: keyof typeof FIELDS): string {
  return PATHS[contract][field];
}

/** The paths of fields under every contract version, for watches. */
export function infraMachinePaths(...fields: readonly (keyof typeof FIELDS)[]): readonly string[] {
  return everyPath(PATHS, fields);
}

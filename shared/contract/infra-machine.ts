import type { ContractVersion } from "../api/kinds.ts";
import { Machine } from "../api/machine/machine.ts";
import type { ContractKind } from "./contract-kind.ts";
import { FAILURE } from "./failure.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "./infra-machine-pool.ts";
import { everyPath } from "./paths.ts";

/** Provider kind for the infrastructure of one Machine, or of one instance of a pool whose provider supports Machines. */
export const InfraMachine: ContractKind = {
  contract: "InfraMachine",
  referencedBy: [{ kind: Machine, path: "spec.infrastructureRef" }],
  announcedBy: { kind: InfraMachinePool, paths: infraMachinePoolPaths("infrastructureMachineKind") },
};

/** `wantedFailureDomain` is deprecated: a provider that chooses the domain reports `failureDomain`. */
const FIELDS = {
  providerID: "spec.providerID",
  wantedFailureDomain: "spec.failureDomain",
  failureDomain: "status.failureDomain",
  addresses: "status.addresses",
  interruptible: "status.interruptible",
  ...FAILURE,
} as const;

/** Field paths by contract version. Source: PC-6.3 */
const PATHS = {
  v1beta1: { ...FIELDS, provisioned: "status.ready" },
  v1beta2: { ...FIELDS, provisioned: "status.initialization.provisioned" },
} as const;
export type InfraMachineField = keyof (typeof PATHS)[ContractVersion];

export function infraMachinePath(contract: ContractVersion, field: InfraMachineField): string {
  return PATHS[contract][field];
}

/** The paths of fields under every contract version, for watches. */
export function infraMachinePaths(...fields: readonly InfraMachineField[]): readonly string[] {
  return everyPath(PATHS, fields);
}

import type { Kind } from "../api/kinds.ts";
import { MachineDeployment } from "../api/machinedeployment.ts";
import { MachineSet } from "../api/machineset.ts";
import type { ContractKind } from "./contract-kind.ts";

const OWNERS: readonly Kind[] = [MachineSet, MachineDeployment];

/** Provider kind from which a set clones the bootstrap configs of its Machines. */
export const BootstrapTemplate: ContractKind = {
  contract: "BootstrapConfigTemplate",
  referencedBy: OWNERS.map((kind) => ({ kind, path: "spec.template.spec.bootstrap.configRef" })),
  isTemplate: true,
};

/** Provider kind from which a set clones the infrastructure machines of its Machines. */
export const InfraMachineTemplate: ContractKind = {
  contract: "InfraMachineTemplate",
  referencedBy: OWNERS.map((kind) => ({ kind, path: "spec.template.spec.infrastructureRef" })),
  isTemplate: true,
};

/** Where a template keeps what is cloned; the same under every contract version. */
export const TEMPLATE_PATH = "spec.template";

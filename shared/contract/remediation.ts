import { MachineHealthCheck } from "../api/machinehealthcheck.ts";
import type { ContractKind } from "./contract-kind.ts";

/** Provider kind from which a health check makes requests for an external controller. */
export const RemediationTemplate: ContractKind = {
  contract: "RemediationTemplate",
  referencedBy: [{ kind: MachineHealthCheck, path: "spec.remediation.templateRef" }],
  isTemplate: true,
};

/** Provider kind of these requests: that of the template without its ending. */
export const RemediationRequest: ContractKind = {
  contract: "RemediationRequest",
  referencedBy: [],
  derivedFrom: MachineHealthCheck,
};

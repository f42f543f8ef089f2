// The provider kinds and their fields that functions name.
export { BootstrapConfig } from "./bootstrap-config.ts";
export { ControlPlane } from "./control-plane.ts";
export { InfraCluster } from "./infra-cluster.ts";
export { InfraMachine, infraMachinePaths } from "./infra-machine.ts";
export { InfraMachinePool, infraMachinePoolPaths } from "./infra-machine-pool.ts";
export { BootstrapTemplate, InfraMachineTemplate } from "./machine-templates.ts";
export { RemediationRequest, RemediationTemplate } from "./remediation.ts";

import type { Kind } from "../../../shared/api/kinds.ts";
import { SimBootstrapConfig, SimBootstrapConfigTemplate } from "./sim-bootstrap.ts";
import { SimInstance, SimServer } from "./sim-cloud.ts";
import { SimCluster, SimClusterTemplate } from "./sim-cluster.ts";
import { SimControlPlane, SimControlPlaneTemplate } from "./sim-controlplane.ts";
import { SimControlPlaneLegacy, SimControlPlaneLegacyTemplate } from "./sim-controlplane-legacy.ts";
import { SimMachine, SimMachineTemplate } from "./sim-machine.ts";
import { SimMachinePool, SimMachinePoolTemplate } from "./sim-machinepool.ts";
import { SimRemediation, SimRemediationTemplate } from "./sim-remediation.ts";

/** Every kind of the simulated provider. */
export const SIM_KINDS: readonly Kind[] = [
  SimCluster,
  SimClusterTemplate,
  SimMachinePool,
  SimMachinePoolTemplate,
  SimMachine,
  SimMachineTemplate,
  SimControlPlane,
  SimControlPlaneTemplate,
  SimControlPlaneLegacy,
  SimControlPlaneLegacyTemplate,
  SimBootstrapConfig,
  SimBootstrapConfigTemplate,
  SimRemediation,
  SimRemediationTemplate,
  SimServer,
  SimInstance,
];

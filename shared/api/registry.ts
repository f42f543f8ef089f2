import { Cluster } from "./cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Event, Namespace, Node, Secret } from "./core.ts";
import type { Kind } from "./kinds.ts";
import { Machine } from "./machine/machine.ts";
import { MachineDrainRule } from "./machine/machine-drain-rule.ts";
import { MachineDeployment } from "./machinedeployment.ts";
import { MachineHealthCheck } from "./machinehealthcheck.ts";
import { MachinePool } from "./machinepool.ts";
import { MachineSet } from "./machineset.ts";
import { RemediationPolicy } from "./remediation-policy.ts";
import { SimBootstrapConfig, SimBootstrapConfigTemplate } from "./sim/sim-bootstrap.ts";
import { SimInstance, SimServer } from "./sim/sim-cloud.ts";
import { SimCluster, SimClusterTemplate } from "./sim/sim-cluster.ts";
import { SimControlPlane, SimControlPlaneTemplate } from "./sim/sim-controlplane.ts";
import { SimControlPlaneLegacy, SimControlPlaneLegacyTemplate } from "./sim/sim-controlplane-legacy.ts";
import { SimMachine, SimMachineTemplate } from "./sim/sim-machine.ts";
import { SimMachinePool, SimMachinePoolTemplate } from "./sim/sim-machinepool.ts";
import { SimRemediation, SimRemediationTemplate } from "./sim/sim-remediation.ts";
import { DaemonSet, PersistentVolume, Pod, VolumeAttachment } from "./workload.ts";

/** Every kind that Capstan has a type for. Capstan installs those with `crd`. */
export const KINDS: readonly Kind[] = [
  Node,
  Secret,
  Namespace,
  Event,
  CustomResourceDefinition,
  Connection,
  Pod,
  DaemonSet,
  VolumeAttachment,
  PersistentVolume,
  Cluster,
  MachinePool,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineSet,
  MachineHealthCheck,
  RemediationPolicy,
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

const byName = new Map(KINDS.map((kind) => [`${kind.group}/${kind.kind}`, kind]));

/** Returns the kind of that name; `undefined` for kinds that only the cluster's CRDs define (provider objects). */
export function kindOf(group: string, kind: string): Kind | undefined {
  return byName.get(`${group}/${kind}`);
}

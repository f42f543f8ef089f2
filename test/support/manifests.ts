/** Manifests as users write them; the same text goes through kubectl and `capstan up -f`. */

/** A Cluster with simulated infrastructure, control plane and one pool per name. */
export function simCluster(name: string, namespace = "default"): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimCluster, name: ${name} }
  controlPlaneRef: { apiGroup: controlplane.sim.capstan.dev, kind: SimControlPlane, name: ${name} }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimCluster
metadata: { name: ${name}, namespace: ${namespace} }
spec: {}
---
apiVersion: controlplane.sim.capstan.dev/v1beta2
kind: SimControlPlane
metadata: { name: ${name}, namespace: ${namespace} }
spec: { version: v1.34.2 }
`;
}

export function simPool(name: string, cluster: string, replicas: number, namespace = "default"): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  clusterName: ${cluster}
  replicas: ${replicas}
  template:
    spec:
      clusterName: ${cluster}
      version: v1.34.2
      bootstrap:
        configRef: { apiGroup: bootstrap.sim.capstan.dev, kind: SimBootstrapConfig, name: ${name} }
      infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachinePool, name: ${name} }
---
apiVersion: bootstrap.sim.capstan.dev/v1beta2
kind: SimBootstrapConfig
metadata: { name: ${name}, namespace: ${namespace} }
spec: {}
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachinePool
metadata: { name: ${name}, namespace: ${namespace} }
spec: { bootDelaySeconds: 0, nodeReadyDelaySeconds: 0 }
`;
}

/** A pool whose provider makes one SimMachine per instance, so that it has Machines. */
export function simPoolWithMachines(name: string, cluster: string, replicas: number): string {
  return simPool(name, cluster, replicas).replace(
    "bootDelaySeconds: 0",
    "machines: true, bootDelaySeconds: 0",
  );
}

/** A Machine that no set owns, its config and its infrastructure machine; all three bear one name. */
export function simMachine(name: string, cluster: string): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: ${cluster}
  version: v1.34.2
  bootstrap:
    configRef: { apiGroup: bootstrap.sim.capstan.dev, kind: SimBootstrapConfig, name: ${name} }
  infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachine, name: ${name} }
---
apiVersion: bootstrap.sim.capstan.dev/v1beta2
kind: SimBootstrapConfig
metadata: { name: ${name}, namespace: default }
spec: {}
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachine
metadata: { name: ${name}, namespace: default }
spec: {}
`;
}

/** Templates of simulated Machines that bear one name. */
function simTemplates(name: string): string {
  return `
apiVersion: bootstrap.sim.capstan.dev/v1beta2
kind: SimBootstrapConfigTemplate
metadata: { name: ${name}, namespace: default }
spec: { template: { spec: {} } }
---
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimMachineTemplate
metadata: { name: ${name}, namespace: default }
spec: { template: { spec: {} } }
`;
}

/** A MachineSet and its templates. */
export function simMachineSet(name: string, cluster: string, replicas: number): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: ${cluster}
  replicas: ${replicas}
  selector: { matchLabels: { set: ${name} } }
  template:
    metadata: { labels: { set: ${name} } }
    spec:
      clusterName: ${cluster}
      version: v1.34.2
      bootstrap:
        configRef: { apiGroup: bootstrap.sim.capstan.dev, kind: SimBootstrapConfigTemplate, name: ${name} }
      infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachineTemplate, name: ${name} }
---${simTemplates(name)}`;
}

/** A MachineDeployment and its templates. */
export function simMachineDeployment(name: string, cluster: string, replicas: number): string {
  return simMachineSet(name, cluster, replicas).replace("kind: MachineSet", "kind: MachineDeployment");
}

/** A Cluster whose control plane is Machines, and their templates. */
export function simClusterOfMachines(name: string, replicas: number): string {
  const spec = `spec:
  version: v1.34.2
  replicas: ${replicas}
  machineTemplate:
    spec:
      bootstrap:
        configRef: { apiGroup: bootstrap.sim.capstan.dev, kind: SimBootstrapConfigTemplate, name: ${name} }
      infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachineTemplate, name: ${name} }
`;
  return `${simCluster(name).replace(/spec: \{ version: v1\.34\.2 \}\n/, spec)}---${simTemplates(name)}`;
}

/** A Cluster whose control plane provider knows the contract v1beta1 only, and its infrastructure v1beta2. */
export function simLegacyCluster(name: string): string {
  return simCluster(name)
    .replaceAll("SimControlPlane", "SimControlPlaneLegacy")
    .replace("controlplane.sim.capstan.dev/v1beta2", "controlplane.sim.capstan.dev/v1beta1");
}

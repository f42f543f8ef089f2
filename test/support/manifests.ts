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

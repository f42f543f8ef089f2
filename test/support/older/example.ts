/** A Cluster and its workers as a user of v1beta1 writes them. */
export const EXAMPLE_OF_V1BETA1 = `
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: { name: c1 }
spec:
  clusterNetwork: { pods: { cidrBlocks: ["10.0.0.0/8"] } }
  infrastructureRef:
    { apiVersion: infrastructure.example.com/v1beta1, kind: Unknown, name: c1, namespace: default }
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: { name: d1 }
spec:
  clusterName: c1
  replicas: 2
  progressDeadlineSeconds: 600
  strategy: { rollingUpdate: { maxSurge: 1 } }
  selector: { matchLabels: { a: b } }
  template:
    metadata: { labels: { a: b } }
    spec:
      clusterName: c1
      nodeDrainTimeout: 10m
      bootstrap: { dataSecretName: x }
      infrastructureRef: { apiVersion: infrastructure.example.com/v1beta1, kind: Unknown, name: t1 }
`;

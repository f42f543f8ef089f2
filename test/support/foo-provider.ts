/** A provider that does not exist: CRDs without a controller; tests write its status with kubectl. */

const KINDS = [
  { group: "infrastructure.foo.example.com", kind: "FooCluster", plural: "fooclusters" },
  { group: "infrastructure.foo.example.com", kind: "FooMachinePool", plural: "foomachinepools" },
  { group: "controlplane.foo.example.com", kind: "FooControlPlane", plural: "foocontrolplanes" },
  { group: "bootstrap.foo.example.com", kind: "FooConfig", plural: "fooconfigs" },
] as const;

/** The CRDs under contract v1beta2, fields open: whatever a test writes is stored. */
export const FOO_PROVIDER = KINDS.map(
  ({ group, kind, plural }) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
  labels: { cluster.x-k8s.io/v1beta2: v1 }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()}, listKind: ${kind}List }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, x-kubernetes-preserve-unknown-fields: true }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`,
).join("---");

/** A Cluster and a MachinePool of two replicas as Cluster API users write them, with their provider objects. */
export const FOO_CLUSTER = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: foo, namespace: default }
spec:
  clusterNetwork: { pods: { cidrBlocks: ["192.168.0.0/16"] } }
  infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooCluster, name: foo }
  controlPlaneRef: { apiGroup: controlplane.foo.example.com, kind: FooControlPlane, name: foo-cp }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooCluster
metadata: { name: foo, namespace: default }
spec: { region: here }
---
apiVersion: controlplane.foo.example.com/v1
kind: FooControlPlane
metadata: { name: foo-cp, namespace: default }
spec: { version: v1.34.2 }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: foo-pool, namespace: default }
spec:
  clusterName: foo
  replicas: 2
  template:
    spec:
      clusterName: foo
      version: v1.34.2
      bootstrap:
        configRef: { apiGroup: bootstrap.foo.example.com, kind: FooConfig, name: foo-pool }
      infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooMachinePool, name: foo-pool }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooMachinePool
metadata: { name: foo-pool, namespace: default }
spec: { size: small }
---
apiVersion: bootstrap.foo.example.com/v1
kind: FooConfig
metadata: { name: foo-pool, namespace: default }
spec: {}
`;

/** A Node as a kubelet registers it. */
export function fooNode(name: string): string {
  return `
apiVersion: v1
kind: Node
metadata: { name: ${name} }
spec:
  providerID: foo://${name}
  taints: [{ key: node.cluster.x-k8s.io/uninitialized, effect: NoSchedule }]
`;
}

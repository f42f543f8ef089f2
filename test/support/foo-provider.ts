/** A provider that does not exist: CRDs without a controller; tests write its status with kubectl. */

const KINDS = [
  { group: "infrastructure.foo.example.com", kind: "FooCluster" },
  { group: "infrastructure.foo.example.com", kind: "FooMachinePool" },
  { group: "controlplane.foo.example.com", kind: "FooControlPlane" },
  { group: "bootstrap.foo.example.com", kind: "FooConfig" },
] as const;

const OPEN = "{ type: object, x-kubernetes-preserve-unknown-fields: true }";

/** The CRDs under contract v1beta2, fields open: whatever a test writes is stored. */
export const FOO_PROVIDER = KINDS.map((kind) => crdText({ ...kind, spec: OPEN })).join("---");

/** The plural is that of kubectl: the kind in lower case with an s. */
function crdText({ group, kind, spec }: { group: string; kind: string; spec: string }): string {
  const plural = `${kind.toLowerCase()}s`;
  return `
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
            spec: ${spec}
            status: ${OPEN}
`;
}

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

const SET_KINDS = [
  { group: "infrastructure.foo.example.com", kind: "FooMachineTemplate", spec: OPEN },
  {
    group: "infrastructure.foo.example.com",
    kind: "FooMachine",
    // A size that the provider does not have is refused, as by a webhook; templates hold any.
    spec: `{ type: object, x-kubernetes-preserve-unknown-fields: true, properties: { size: { type: string, enum: [small, large] } } }`,
  },
  { group: "bootstrap.foo.example.com", kind: "FooConfigTemplate", spec: OPEN },
];

/** CRDs of the same provider for Machines: FooMachines of an unknown size are refused. */
export const FOO_MACHINE_PROVIDER = SET_KINDS.map(crdText).join("---");

/** MachineSet `foo-set` of Cluster foo with its templates. `size` is that of its FooMachines. */
export function fooSet(replicas: number, size = "small"): string {
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineSet
metadata: { name: foo-set, namespace: default }
spec:
  clusterName: foo
  replicas: ${replicas}
  selector: { matchLabels: { tier: a } }
  template:
    metadata: { labels: { tier: a }, annotations: { note: one } }
    spec:
      clusterName: foo
      version: v1.34.2
      bootstrap:
        configRef: { apiGroup: bootstrap.foo.example.com, kind: FooConfigTemplate, name: foo-set }
      infrastructureRef: { apiGroup: infrastructure.foo.example.com, kind: FooMachineTemplate, name: foo-set }
---
apiVersion: infrastructure.foo.example.com/v1
kind: FooMachineTemplate
metadata: { name: foo-set, namespace: default }
spec: { template: { metadata: { labels: { from: template } }, spec: { size: ${size} } } }
---
apiVersion: bootstrap.foo.example.com/v1
kind: FooConfigTemplate
metadata: { name: foo-set, namespace: default }
spec: { template: { spec: { join: "yes" } } }
`;
}

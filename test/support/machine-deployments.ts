/** The CRD of MachineDeployments, fields open, as where Cluster API is installed; no controller serves it. */
export const MACHINE_DEPLOYMENT_CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: machinedeployments.cluster.x-k8s.io }
spec:
  group: cluster.x-k8s.io
  scope: Namespaced
  names:
    kind: MachineDeployment
    plural: machinedeployments
    singular: machinedeployment
    listKind: MachineDeploymentList
  versions:
    - name: v1beta2
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, x-kubernetes-preserve-unknown-fields: true }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;

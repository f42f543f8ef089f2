import type { Kind, KubeObject } from "./kinds.ts";

/** As the read model keeps it: what the Cluster's status says of workers that Capstan does not run. */
export interface MachineDeployment extends KubeObject {
  readonly spec?: { readonly clusterName?: string; readonly replicas?: number | undefined } | undefined;
  readonly status?:
    | {
        /** Set by the controller that runs it. */
        readonly observedGeneration?: number | undefined;
        readonly replicas?: number | undefined;
        readonly readyReplicas?: number | undefined;
        readonly availableReplicas?: number | undefined;
        readonly upToDateReplicas?: number | undefined;
        readonly versions?:
          | readonly { readonly version: string; readonly replicas?: number | undefined }[]
          | undefined;
        readonly conditions?:
          | readonly {
              readonly type: string;
              readonly status: string;
              readonly reason: string;
              readonly message: string;
            }[]
          | undefined;
      }
    | undefined;
}
export const MachineDeployment: Kind<MachineDeployment> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineDeployment",
  plural: "machinedeployments",
  namespaced: true,
  clusterNamePath: "spec.clusterName",
  external: true,
};

import type { Workers } from "./cluster/workers.ts";
import type { Kind } from "./kinds.ts";
import type { Machine } from "./machine/machine.ts";

/**
 * As the read model keeps it: what the Cluster's status says of workers that Capstan does not run, and what it wants of
 * the Machines of its sets.
 */
export interface MachineDeployment extends Workers {
  readonly spec?:
    | (NonNullable<Workers["spec"]> & {
        readonly remediation?: { readonly maxInFlight?: number | string | undefined } | undefined;
        readonly template?: { readonly spec?: Partial<Machine["spec"]> | undefined } | undefined;
        readonly rollout?: { readonly after?: string | undefined } | undefined;
      })
    | undefined;
  readonly status?:
    | (NonNullable<Workers["status"]> & {
        /** Set by the controller that runs it. */
        readonly observedGeneration?: number | undefined;
      })
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

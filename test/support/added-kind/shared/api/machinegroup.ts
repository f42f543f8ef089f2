import * as z from "zod";
import type { Kind, KubeObject } from "../../../../../shared/api/kinds.ts";
import { objectMetaSchema, typeMeta } from "../../../../../shared/api/meta.ts";
import type { Traits } from "../../../../../shared/api/traits.ts";

export interface MachineGroup extends KubeObject {
  readonly spec: { readonly clusterName: string; readonly replicas?: number | undefined };
}

const schema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          clusterName: z.string().describe("Name of its Cluster."),
          replicas: z.int32().min(0).optional().describe("Machines wanted."),
        })
        .describe("Desired state."),
    })
    .describe("A kind that is not part of Capstan.");

export const MachineGroup: Kind<MachineGroup> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineGroup",
  plural: "machinegroups",
  namespaced: true,
  schema: schema as unknown as NonNullable<Kind<MachineGroup>["schema"]>,
  clusterNamePath: "spec.clusterName",
  crd: { status: true },
};

/** Its row in shared/api/traits.ts. */
export const ROW: Traits = {
  kind: MachineGroup,
  descendant: { label: "MachineGroups", place: 5, deleteOrder: 0 },
  workers: {
    counted: "all",
    makesMachines: true,
    countedBy: ["status.observedGeneration"],
    conditions: { RollingOut: "expected" },
  },
  takeOver: 0,
  ready: { phase: "Running" },
};

import * as z from "zod";
import { conditionsSchema } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import { type Immutable, mapList, objectMetaSchema, typeMeta } from "./meta.ts";
import { count, endpoint, flag, providerCrd, version } from "./sim-provider.ts";

const simControlPlaneSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z
    .object({
      controlPlaneEndpoint: endpoint,
      version: version.optional(),
      replicas: z.int32().min(0).default(1),
    })
    .prefault({}),
  status: z
    .object({
      initialization: z.object({ controlPlaneInitialized: flag }).optional(),
      /** Label selector of its Machines as text, for the scale subresource; the simulated ones have none. */
      selector: z.string().optional(),
      replicas: count,
      readyReplicas: count,
      availableReplicas: count,
      upToDateReplicas: count,
      versions: mapList(z.object({ version, replicas: z.int32().min(1).optional() }), ["version"], {
        max: 100,
      }).optional(),
      /** The lowest of `versions`. */
      version: version.optional(),
      /** Always true: there are no Nodes for the instances of the simulated control plane. */
      externalManagedControlPlane: flag,
      /** These three say the same for the contract v1beta1. */
      initialized: flag,
      updatedReplicas: count,
      unavailableReplicas: count,
      conditions: conditionsSchema.optional(),
    })
    .optional(),
});

/** Control plane of a simulated Cluster: it is up when the virtual workload API server answers. */
export type SimControlPlane = Immutable<z.infer<typeof simControlPlaneSchema>>;
export const SimControlPlane: Kind<SimControlPlane> = {
  group: "controlplane.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimControlPlane",
  plural: "simcontrolplanes",
  namespaced: true,
  schema: simControlPlaneSchema,
  crd: providerCrd(
    [
      { name: "Initialized", type: "boolean", jsonPath: ".status.initialization.controlPlaneInitialized" },
      { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Available", type: "integer", jsonPath: ".status.availableReplicas" },
      { name: "Version", type: "string", jsonPath: ".status.version" },
    ],
    {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  ),
};

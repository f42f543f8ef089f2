import * as z from "zod";
import { conditionsSchema } from "../conditions.ts";
import type { Kind } from "../kinds.ts";
import { type Immutable, mapList, objectMetaSchema, typeMeta } from "../meta.ts";
import { count, endpoint, firstSteps, flag, providerCrd, version } from "./sim-provider.ts";

const simControlPlaneSchema = z
  .object({
    ...typeMeta,
    metadata: objectMetaSchema,
    spec: z
      .object({
        controlPlaneEndpoint: endpoint,
        version: version.optional().describe("Kubernetes version wanted, such as v1.34.0."),
        replicas: z.int32().min(0).default(1).describe("Replicas wanted. Default 1."),
      })
      .prefault({})
      .describe("Desired state."),
    status: z
      .object({
        initialization: firstSteps({
          controlPlaneInitialized: flag.describe("The API server has answered once."),
        }),
        selector: z
          .string()
          .optional()
          .describe(
            "Label selector of its Machines, for the scale subresource. The simulated ones have none.",
          ),
        replicas: count.describe("Replicas that exist."),
        readyReplicas: count.describe("Replicas that are ready."),
        availableReplicas: count.describe("Replicas that are available."),
        upToDateReplicas: count.describe("Replicas that match the spec."),
        versions: mapList(
          z.object({ version, replicas: z.int32().min(1).optional().describe("Replicas that run it.") }),
          ["version"],
          {
            max: 100,
          },
        )
          .optional()
          .describe("Kubernetes versions that the replicas run, at most 100."),
        version: version.optional().describe("The lowest of versions."),
        externalManagedControlPlane: flag.describe("Always true: the simulated control plane has no Nodes."),
        initialized: flag.describe("As initialization.controlPlaneInitialized, for the contract v1beta1."),
        updatedReplicas: count.describe("As upToDateReplicas, for the contract v1beta1."),
        unavailableReplicas: count.describe("Replicas that are not available, for the contract v1beta1."),
        conditions: conditionsSchema.optional(),
      })
      .optional()
      .describe("State that the provider reports."),
  })
  .describe("Control plane of a simulated Cluster: it is up when the virtual workload API server answers.");

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

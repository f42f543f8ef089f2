import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import {
  conditionGatesSchema,
  deletionTimeouts,
  machineTaintsSchema,
} from "../../../shared/api/machine/machine-template.ts";
import {
  CONDITION_TYPE,
  contractReferenceSchema,
  type Immutable,
  mapList,
  notEmpty,
  objectMetaSchema,
  seconds,
  templateMetadataSchema,
  text,
  time,
  typeMeta,
  validations,
} from "../../../shared/api/meta.ts";
import {
  count,
  endpoint,
  firstSteps,
  flag,
  providerCrd,
  type TemplateOf,
  templateOf,
  version,
} from "./sim-provider.ts";

/** A semantic version; the provider adds a missing `v`. */
const wantedVersion = () => text(1, 256, "^v?[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$");

export const controlPlaneSpec = () => ({
  controlPlaneEndpoint: endpoint(),
  endpointMode: z
    .enum(["provider", "external"])
    .optional()
    .describe(
      "With provider, this object orders the workload API server and publishes its address; with external, it waits for the endpoint of the Cluster. Default external.",
    ),
  version: wantedVersion().optional().describe("Kubernetes version wanted, such as v1.34.0."),
  replicas: z
    .int32()
    .min(1)
    .default(1)
    .meta(validations({ rule: "self % 2 == 1", message: "replicas must be odd: etcd needs a majority" }))
    .describe("Replicas wanted, an odd number. Default 1."),
  kubeconfigValiditySeconds: z
    .int32()
    .min(10)
    .optional()
    .describe("Seconds that the client certificate in the kubeconfig is valid. Default one year."),
});

/** References of the contract v1beta2. */
const machineTemplateNames = () => ({
  apiGroup: z.enum(["infrastructure.sim.capstan.dev"]).describe("API group of the template."),
  kind: z.enum(["SimMachineTemplate"]).describe("Kind of the template."),
});
const bootstrapTemplateNames = () => ({
  apiGroup: z.enum(["bootstrap.sim.capstan.dev"]).describe("API group of the template."),
  kind: z.enum(["SimBootstrapConfigTemplate"]).describe("Kind of the template."),
});

/** The choice between Machines and external is made once. */
export const FLAVOUR_RULES = validations({
  rule: "has(self.machineTemplate) == has(oldSelf.machineTemplate)",
  message: "machineTemplate must not be added or removed: create another object",
});

/**
 * Conditions of either contract, with the fields that only one of them has; `status` is any text, because a fault may
 * report one that no contract knows.
 */
export function reportedConditions<More extends z.ZodRawShape>(more: More) {
  const condition = z.object({
    type: z.string().max(316).regex(new RegExp(CONDITION_TYPE)).describe("Type of the condition."),
    status: z.string().max(32).describe("True, False or Unknown."),
    observedGeneration: z.int().min(0).optional().describe("Generation of the object that was judged."),
    lastTransitionTime: time.describe("When the status changed last."),
    reason: z.string().max(1024).optional().describe("One word for programs."),
    message: z.string().max(32_768).optional().describe("The same for people."),
    ...more,
  });
  return mapList(condition, ["type"], { max: 32 }).describe("Conditions: one per type, at most 32.");
}

export const controlPlaneStatus = () => ({
  selector: z
    .string()
    .optional()
    .describe("Label selector of its Machines, for the scale subresource. An external one has none."),
  replicas: count().describe("Replicas that exist."),
  readyReplicas: count().describe("Replicas that are ready."),
  version: text(1, 256).optional().describe("The lowest Kubernetes version that a replica runs."),
  externalManagedControlPlane: flag().describe("True without Machines: the control plane has no Nodes."),
  certificates: z
    .object({
      ready: flag().describe("All certificates and the kubeconfig are there."),
      message: z.string().max(1024).optional().describe("Problem with them, for people."),
    })
    .optional()
    .describe("State of the certificates and of the kubeconfig."),
  failureReason: z.string().optional().describe("Final failure, one word. Only as a fault for tests."),
  failureMessage: z.string().optional().describe("The same for people."),
  observedGeneration: z.int().min(1).optional().describe("Generation of the spec that this status is about."),
});

/** The paths for the scale subresource. */
export const REPLICA_PATHS = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
} as const;

const machineTemplateSchema = () =>
  z.object({
    metadata: templateMetadataSchema().optional(),
    spec: z
      .object({
        infrastructureRef: contractReferenceSchema()
          .extend(machineTemplateNames())
          .describe("The SimMachineTemplate of its machines: only they start a simulated API server."),
        bootstrap: z
          .object({
            configRef: contractReferenceSchema()
              .extend(bootstrapTemplateNames())
              .describe("The SimBootstrapConfigTemplate of its machines."),
          })
          .describe("How a machine becomes a Node."),
        minReadySeconds: seconds()
          .optional()
          .describe("Seconds that a Node must be Ready before it counts as available. Default 0."),
        readinessGates: conditionGatesSchema()
          .optional()
          .describe("Further conditions that count for Ready."),
        deletion: notEmpty(deletionTimeouts())
          .optional()
          .describe("How long each stage of a deletion may take."),
        taints: machineTaintsSchema().optional().describe("Taints of the Nodes, 1 to 64."),
      })
      .describe("Desired state of the Machines."),
  });

const specSchema = () =>
  z
    .object({
      ...controlPlaneSpec(),
      rollout: notEmpty({
        after: time.optional().describe("Machines that were created before this time are replaced after it."),
      })
        .optional()
        .describe("When Machines are replaced although nothing has changed."),
      machineTemplate: machineTemplateSchema()
        .optional()
        .describe(
          "Template of the Machines. Without it the control plane is external: no Machine, no Node. Cannot be added or removed later.",
        ),
    })
    .prefault({})
    .meta(FLAVOUR_RULES)
    .describe("Desired state.");

const simControlPlaneSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: z
        .object({
          ...controlPlaneStatus(),
          conditions: reportedConditions({}).optional(),
          initialization: firstSteps({
            controlPlaneInitialized: flag().describe("The API server has answered once."),
          }),
          availableReplicas: count().describe("Replicas that are available."),
          upToDateReplicas: count().describe("Replicas that match the spec."),
          versions: mapList(
            z.object({
              version: version(),
              replicas: z.int32().min(1).optional().describe("Replicas that run it."),
            }),
            ["version"],
            { min: 1, max: 100 },
          )
            .optional()
            .describe("Kubernetes versions that the replicas run, at most 100."),
        })
        .optional()
        .describe("State that the provider reports."),
    })
    .describe("Control plane of a simulated Cluster, of the contract v1beta2: Machines, or external.");

/** Control plane of a simulated Cluster: of Machines, or external. Contract v1beta2. */
export type SimControlPlane = Immutable<z.infer<ReturnType<typeof simControlPlaneSchema>>>;
export const SimControlPlane: Kind<SimControlPlane> = {
  group: "controlplane.sim.capstan.dev",
  provider: "control-plane-sim",
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
      { name: "Up-to-date", type: "integer", jsonPath: ".status.upToDateReplicas" },
      { name: "Version", type: "string", jsonPath: ".status.version" },
    ],
    {
      scale: REPLICA_PATHS,
      waived: {
        "CP-18": "an external control plane may leave its version to others",
        "CP-31": "an annotation reports final failures, as older providers do, for tests",
      },
    },
  ),
};

/** Template from which a ClusterClass creates SimControlPlanes. */
export type SimControlPlaneTemplate = TemplateOf<typeof specSchema>;
export const SimControlPlaneTemplate: Kind<SimControlPlaneTemplate> = templateOf(SimControlPlane, specSchema);

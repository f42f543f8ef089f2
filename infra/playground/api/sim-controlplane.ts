import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import {
  conditionGatesSchema,
  deletionTimeouts,
  machineTaintsSchema,
} from "../../../shared/api/machine/machine-template.ts";
import {
  contractReferenceSchema,
  type Immutable,
  mapList,
  notEmpty,
  objectMetaSchema,
  seconds,
  templateMetadataSchema,
  time,
  typeMeta,
} from "../../../shared/api/meta.ts";
import {
  bootstrapTemplateNames,
  controlPlaneSpec,
  controlPlaneStatus,
  FLAVOUR_RULES,
  machineTemplateNames,
  REPLICA_PATHS,
  reportedConditions,
} from "./sim-controlplane-fields.ts";
import { count, firstSteps, flag, providerCrd, templateOf, templateSchema, version } from "./sim-provider.ts";

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

const simControlPlaneTemplateSchema = () => templateSchema(specSchema(), "SimControlPlane");

/** Template from which a ClusterClass creates SimControlPlanes. */
export type SimControlPlaneTemplate = Immutable<z.infer<ReturnType<typeof simControlPlaneTemplateSchema>>>;
export const SimControlPlaneTemplate: Kind<SimControlPlaneTemplate> = templateOf(
  SimControlPlane,
  simControlPlaneTemplateSchema,
);

import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import { conditionGatesSchema, machineTaintsSchema } from "../../../shared/api/machine/machine-template.ts";
import {
  dnsSubdomain,
  type Immutable,
  objectMetaSchema,
  templateMetadataSchema,
  text,
  typeMeta,
} from "../../../shared/api/meta.ts";
import {
  controlPlaneSpec,
  controlPlaneStatus,
  FLAVOUR_RULES,
  REPLICA_PATHS,
  reportedConditions,
} from "./sim-controlplane.ts";
import { count, flag, providerCrd, type TemplateOf, templateOf } from "./sim-provider.ts";

/** Describes `corev1.ObjectReference`, as the contract v1beta1 has it. */
function objectReferenceSchema(apiVersion: string, kind: string) {
  return z.object({
    apiVersion: text(3, 317, `^${apiVersion.replaceAll(".", "\\.")}/v[a-z0-9]+$`).describe(
      "API group and version of the template; the version is not looked at.",
    ),
    kind: z.enum([kind]).describe("Kind of the template."),
    name: dnsSubdomain().describe("Name of the template."),
    namespace: text(1, 63).optional().describe("Its namespace. Only that of this object is served."),
  });
}

/** A Go duration such as 1h30m. */
const duration = () => text(2, 64, "^([0-9]+(ms|s|m|h))+$").optional();

const machineTemplateSchema = () =>
  z.object({
    metadata: templateMetadataSchema().optional(),
    infrastructureRef: objectReferenceSchema("infrastructure.sim.capstan.dev", "SimMachineTemplate").describe(
      "The SimMachineTemplate of its machines: only they start a simulated API server.",
    ),
    bootstrapRef: objectReferenceSchema("bootstrap.sim.capstan.dev", "SimBootstrapConfigTemplate").describe(
      "The SimBootstrapConfigTemplate of its machines.",
    ),
    nodeDrainTimeout: duration().describe(
      "How long a Node is drained before it is deleted anyway, such as 10m.",
    ),
    nodeVolumeDetachTimeout: duration().describe("How long volumes may take to be detached."),
    nodeDeletionTimeout: duration().describe("How long the Node is tried to be deleted."),
    readinessGates: conditionGatesSchema().optional().describe("Further conditions that count for Ready."),
    taints: machineTaintsSchema().optional().describe("Taints of the Nodes, 1 to 64."),
  });

const specSchema = () =>
  z
    .object({
      ...controlPlaneSpec(),
      machineTemplate: machineTemplateSchema()
        .optional()
        .describe(
          "Template of the Machines. Without it the control plane is external: no Machine, no Node. Cannot be added or removed later.",
        ),
    })
    .prefault({})
    .meta(FLAVOUR_RULES)
    .describe("Desired state.");

const simControlPlaneLegacySchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: z
        .object({
          ...controlPlaneStatus(),
          conditions: reportedConditions({
            severity: z.string().max(32).optional().describe("Error, Warning or Info."),
          }).optional(),
          initialized: flag().describe("The API server has answered once."),
          ready: flag().describe("The API server has answered once."),
          updatedReplicas: count().describe("Replicas that match the spec."),
          unavailableReplicas: count().describe("Replicas that are not available."),
        })
        .optional()
        .describe("State that the provider reports."),
    })
    .describe("Control plane of a simulated Cluster, of the contract v1beta1 only: Machines, or external.");

/** Control plane of a simulated Cluster: of Machines, or external. Contract v1beta1. */
export type SimControlPlaneLegacy = Immutable<z.infer<ReturnType<typeof simControlPlaneLegacySchema>>>;
export const SimControlPlaneLegacy: Kind<SimControlPlaneLegacy> = {
  group: "controlplane.sim.capstan.dev",
  provider: "control-plane-sim",
  version: "v1beta1",
  kind: "SimControlPlaneLegacy",
  plural: "simcontrolplanelegacies",
  namespaced: true,
  schema: simControlPlaneLegacySchema,
  crd: {
    ...providerCrd(
      [
        { name: "Initialized", type: "boolean", jsonPath: ".status.initialized" },
        { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
        { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
        { name: "Updated", type: "integer", jsonPath: ".status.updatedReplicas" },
        { name: "Version", type: "string", jsonPath: ".status.version" },
      ],
      {
        scale: REPLICA_PATHS,
        waived: { "CP-18": "an external control plane may leave its version to others" },
      },
    ),
    labels: { "cluster.x-k8s.io/v1beta1": "v1beta1" },
  },
};

/** Template from which a ClusterClass creates SimControlPlaneLegacies. */
export type SimControlPlaneLegacyTemplate = TemplateOf<typeof specSchema>;
export const SimControlPlaneLegacyTemplate: Kind<SimControlPlaneLegacyTemplate> = templateOf(
  SimControlPlaneLegacy,
  specSchema,
);

import * as z from "zod";
import type { Workers } from "./cluster/workers.ts";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import type { Machine } from "./machine/machine.ts";
import { machineSpecSchema, machineTaintsSchema, versionCountSchema } from "./machine/machine-template.ts";
import {
  intOrString,
  labelSelectorSchema,
  mapList,
  notEmpty,
  objectMetaSchema,
  templateMetadataSchema,
  text,
  time,
  typeMeta,
  validations,
} from "./meta.ts";
import { AGE, CLUSTER, conditionColumn, countColumn, PAUSED, TEMPLATE_VERSION } from "./printer-columns.ts";

const rolloutSchema = () =>
  notEmpty({
    after: time.optional().describe("Machines that are older than this are replaced once it is past."),
    strategy: z
      .object({
        type: z
          .enum(["RollingUpdate", "OnDelete"])
          .describe("How old Machines are replaced. Default RollingUpdate."),
        rollingUpdate: notEmpty({
          maxUnavailable: intOrString()
            .optional()
            .describe("Machines that may be unavailable, as a number or a percentage. Default 0."),
          maxSurge: intOrString()
            .optional()
            .describe("Machines above the wanted number, as a number or a percentage. Default 1."),
        })
          .optional()
          .describe("Limits of RollingUpdate."),
      })
      .meta({ minProperties: 1 })
      .optional()
      .describe("How a new template replaces the Machines of the old one."),
  });

/** Describes the published spec, without the rules that sets and pools have in place of a webhook: no object passes. */
const specSchema = () =>
  z
    .object({
      clusterName: text(1, 63).describe("Name of the Cluster it belongs to, in the same namespace."),
      replicas: z.int32().optional().describe("Machines wanted."),
      rollout: rolloutSchema().optional().describe("How changes of the template are rolled out."),
      selector: labelSelectorSchema().describe("Labels of its Machines; the labels of the template match."),
      template: z
        .object({
          metadata: templateMetadataSchema().optional(),
          spec: machineSpecSchema()
            .extend({ taints: machineTaintsSchema().optional().describe("Taints of the Node, 1 to 64.") })
            .describe("Template of every Machine."),
        })
        .describe("Template of its Machines."),
      machineNaming: notEmpty({
        template: text(1, 256)
          .optional()
          .describe("Template of the names, with the variables .cluster.name, .machineSet.name and .random."),
      })
        .optional()
        .describe("How new Machines are named."),
      remediation: notEmpty({
        maxInFlight: intOrString()
          .optional()
          .describe("Unhealthy Machines that may be replaced at the same time. Default: without limit."),
      })
        .optional()
        .describe("How unhealthy Machines are replaced."),
      deletion: notEmpty({
        order: z
          .enum(["Random", "Newest", "Oldest"])
          .optional()
          .describe("Which Machines go first when it gets smaller. Default Random."),
      })
        .optional()
        .describe("How Machines are chosen for deletion."),
      paused: z.boolean().optional().describe("Its controller leaves it alone."),
    })
    .describe("Desired state of the MachineDeployment.");

const statusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    observedGeneration: z
      .int()
      .min(1)
      .optional()
      .describe("Generation of the spec that this status is about."),
    selector: text(1, 4096).optional().describe("The selector as text, for the scale subresource."),
    replicas: z.int32().optional().describe("Its Machines."),
    readyReplicas: z.int32().optional().describe("Machines that are Ready."),
    availableReplicas: z.int32().optional().describe("Machines that are Available."),
    upToDateReplicas: z.int32().optional().describe("Machines that are UpToDate."),
    phase: z
      .enum(["ScalingUp", "ScalingDown", "Running", "Failed", "Unknown"])
      .optional()
      .describe("Summary for people."),
    versions: mapList(versionCountSchema(), ["version"], { min: 1, max: 100 })
      .optional()
      .describe("Kubernetes versions that the Machines run, 1 to 100."),
    deprecated: deprecatedSchema({
      conditions: deprecatedStatusFields().conditions,
      updatedReplicas: z.int32().optional().describe("Machines of the newest template."),
      readyReplicas: z.int32().optional().describe("Machines whose Node is Ready."),
      availableReplicas: z
        .int32()
        .optional()
        .describe("Machines whose Node has been Ready for minReadySeconds."),
      unavailableReplicas: z.int32().optional().describe("Machines that are missing or not available."),
    }),
  });

/**
 * Refuses every object that is made: a request that creates one has no status. Differs: one that Cluster API has run, and
 * left when it was uninstalled, may change, for its finalizers could not be removed otherwise.
 * Source: decision record 11
 */
const NOT_RUN = validations({
  rule: "has(self.status)",
  message:
    "Capstan has no controller for MachineDeployments and would not make Machines for it; create a MachineSet or a MachinePool instead",
  reason: "FieldValueForbidden",
  fieldPath: ".spec",
});

const machineDeploymentSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: statusSchema().optional().describe("Observed state. Capstan does not write it."),
    })
    .meta(NOT_RUN)
    .describe("Machines whose template is rolled out. Served for reading: Capstan does not run them.");

/**
 * A MachineDeployment as the read model keeps it: what the Cluster's status says of workers that Capstan does not run,
 * and what it wants of the Machines of its sets.
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
  schema: machineDeploymentSchema,
  clusterNamePath: "spec.clusterName",
  external: true,
  crd: {
    shortNames: ["md"],
    categories: ["cluster-api"],
    status: true,
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
    printerColumns: [
      CLUSTER,
      conditionColumn("Available", "Available", { description: "Whether its Machines are available" }),
      countColumn("Desired", ".spec.replicas", "Machines wanted"),
      countColumn("Current", ".status.replicas", "Its Machines"),
      countColumn("Ready", ".status.readyReplicas", "Machines that are Ready"),
      countColumn("Available", ".status.availableReplicas", "Machines that are Available"),
      countColumn("Up-to-date", ".status.upToDateReplicas", "Machines that match the template"),
      PAUSED,
      {
        name: "Phase",
        type: "string",
        jsonPath: ".status.phase",
        description: "ScalingUp, ScalingDown, Running, Failed or Unknown",
      },
      AGE,
      TEMPLATE_VERSION,
    ],
  },
};

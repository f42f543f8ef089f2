import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import { clusterNameSchema, ONE_CLUSTER } from "./machine/machine-template.ts";
import {
  deletionOrderSchema,
  deprecatedWorkerCounters,
  MACHINE_LABELS,
  machineNamingSchema,
  machineSelectorSchema,
  matchingLabels,
  replicasSchema,
  workerCounters,
  workersTemplateSchema,
} from "./machine/workers-fields.ts";
import {
  type Immutable,
  intOrString,
  labelsSchema,
  notEmpty,
  objectMetaSchema,
  time,
  typeMeta,
  validations,
} from "./meta.ts";
import { AGE, CLUSTER, conditionColumn, countColumn, PAUSED, TEMPLATE_VERSION } from "./printer-columns.ts";

/** Differs: a negative limit is refused; upstream takes it, and a new set stays short for ever. */
const limit = (fallback?: number) =>
  intOrString().meta({
    "x-kubernetes-int-or-string": true,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...validations({
      rule: "type(self) == int ? self >= 0 : self.matches('^[0-9]+%$')",
      message: "must be a number such as 1, or a percentage such as 25%, and not negative",
    }),
  });

const LIMITS = { maxSurge: 1, maxUnavailable: 0 } as const;
/**
 * The strategy where none is given. The schema has it, and `machinedeployment-guard` where another schema is served: a
 * default of the schema belongs to no field manager, so that its author may change it by a server-side apply.
 */
export const DEFAULT_STRATEGY = { type: "RollingUpdate", rollingUpdate: LIMITS } as const;

const rolloutSchema = () =>
  notEmpty({
    after: time
      .optional()
      .describe("Machines of sets that are older than this are replaced once it is past, in whole seconds."),
    strategy: z
      .object({
        type: z
          .enum(["RollingUpdate", "OnDelete"])
          .default("RollingUpdate")
          .describe("How old Machines are replaced. Default RollingUpdate."),
        rollingUpdate: notEmpty({
          maxUnavailable: limit(LIMITS.maxUnavailable)
            .optional()
            .describe(
              "Machines that may be unavailable, as a number or a percentage, rounded down. Default 0.",
            ),
          maxSurge: limit(LIMITS.maxSurge)
            .optional()
            .describe(
              "Machines above the wanted number, as a number or a percentage, rounded up. Default 1.",
            ),
        })
          .optional()
          .describe("Limits of RollingUpdate."),
      })
      .meta({
        minProperties: 1,
        ...validations({
          rule: "self.type != 'RollingUpdate' || !has(self.rollingUpdate) || !has(self.rollingUpdate.maxSurge) || type(self.rollingUpdate.maxSurge) != int || self.rollingUpdate.maxSurge != 0 || (has(self.rollingUpdate.maxUnavailable) && (type(self.rollingUpdate.maxUnavailable) != int || self.rollingUpdate.maxUnavailable != 0))",
          message: "maxUnavailable must not be 0 when maxSurge is 0; its default is 0",
          fieldPath: ".rollingUpdate",
        }),
        default: DEFAULT_STRATEGY,
      })
      .optional()
      .describe("How a new template replaces the Machines of the old one."),
  });

const specSchema = () =>
  z
    .object({
      clusterName: clusterNameSchema(),
      replicas: replicasSchema().describe("Machines wanted. Default 1."),
      rollout: rolloutSchema()
        .meta({ minProperties: 1, default: { strategy: DEFAULT_STRATEGY } })
        .optional()
        .describe("How changes of the template are rolled out."),
      // Differs: optional, and its labels nullable. Most published manifests leave both to the admission of Cluster API,
      // which fills them before the schema asks; here `machinedeployment-guard` does.
      selector: machineSelectorSchema()
        .extend({
          matchLabels: labelsSchema().nullable().optional().describe("Labels that the objects have."),
        })
        .meta(MACHINE_LABELS)
        .optional()
        .describe(
          "Labels of its Machines; the labels of the template match. Default: a label with its name.",
        ),
      template: workersTemplateSchema().describe("Template of its Machines."),
      machineNaming: machineNamingSchema(),
      remediation: notEmpty({
        maxInFlight: limit()
          .optional()
          .describe("Unhealthy Machines that may be replaced at the same time. Default: without limit."),
      })
        .optional()
        .describe("How unhealthy Machines are replaced."),
      deletion: deletionOrderSchema(),
      paused: z
        .boolean()
        .optional()
        .describe("No set is made or removed for a changed template; scaling, labels and status continue."),
    })
    .describe("Desired state of the MachineDeployment.")
    .meta(validations(ONE_CLUSTER, matchingLabels("!has(self.selector) || ")));

const statusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    ...workerCounters(),
    phase: z
      .enum(["ScalingUp", "ScalingDown", "Running", "Failed", "Unknown"])
      .optional()
      .describe("Summary for people. Programs read the conditions."),
    deprecated: deprecatedSchema({
      conditions: deprecatedStatusFields().conditions,
      updatedReplicas: z.int32().optional().describe("Machines of the newest template."),
      ...deprecatedWorkerCounters(),
      unavailableReplicas: z.int32().optional().describe("Machines that are missing or not available."),
    }),
  });

const machineDeploymentSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: statusSchema()
        .optional()
        .describe("Observed state. Written by machinedeployment-status alone."),
    })
    .meta(
      validations({
        rule: "size(self.metadata.name) <= 63",
        message: "metadata.name must have at most 63 characters: it is the value of a label of its Machines",
      }),
    )
    .describe("Machines whose template is rolled out.");

/** Machines whose template is rolled out; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type MachineDeployment = Immutable<z.infer<ReturnType<typeof machineDeploymentSchema>>>;
export type MachineDeploymentStatus = NonNullable<MachineDeployment["status"]>;

export const MachineDeployment: Kind<MachineDeployment> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineDeployment",
  plural: "machinedeployments",
  namespaced: true,
  schema: machineDeploymentSchema,
  clusterNamePath: "spec.clusterName",
  references: ["spec.template.spec.bootstrap.configRef", "spec.template.spec.infrastructureRef"],
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

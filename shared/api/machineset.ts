import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import { clusterNameSchema, ONE_CLUSTER } from "./machine/machine-template.ts";
import {
  deletionOrderSchema,
  deprecatedWorkerCounters,
  machineNamingSchema,
  machineSelectorSchema,
  matchingLabels,
  replicasSchema,
  workerCounters,
  workersTemplateSchema,
} from "./machine/workers-fields.ts";
import { type Immutable, notEmpty, objectMetaSchema, typeMeta, validations } from "./meta.ts";
import { AGE, CLUSTER, countColumn, PAUSED, TEMPLATE_VERSION } from "./printer-columns.ts";

const specSchema = () =>
  z
    .object({
      clusterName: clusterNameSchema(),
      replicas: replicasSchema().describe("Machines wanted. Default 1."),
      selector: machineSelectorSchema().describe(
        "Labels of the Machines that belong to the set; the labels of the template must match.",
      ),
      template: workersTemplateSchema().describe("Template of every Machine of the set."),
      machineNaming: machineNamingSchema(),
      deletion: deletionOrderSchema(),
    })
    .describe("Desired state of the set.")
    .meta(validations(ONE_CLUSTER, matchingLabels("")));

const statusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    ...workerCounters(),
    deprecated: deprecatedSchema({
      ...deprecatedStatusFields(),
      fullyLabeledReplicas: z.int32().optional().describe("Machines that have the labels of the template."),
      ...deprecatedWorkerCounters(),
    }),
  });

const machineSetSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: statusSchema()
        .optional()
        .describe("Observed state of the set. Written by machineset-status alone."),
    })
    .describe("A number of equal Machines.");

/** A number of equal Machines; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type MachineSet = Immutable<z.infer<ReturnType<typeof machineSetSchema>>>;
export type MachineSetStatus = NonNullable<MachineSet["status"]>;

/** The finalizer by which a set waits for the end of its Machines. */
export const SET_FINALIZER = "cluster.x-k8s.io/machineset";

export const MachineSet: Kind<MachineSet> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineSet",
  plural: "machinesets",
  namespaced: true,
  schema: machineSetSchema,
  clusterNamePath: "spec.clusterName",
  references: ["spec.template.spec.bootstrap.configRef", "spec.template.spec.infrastructureRef"],
  // Sets that a MachineDeployment may adopt.
  indexes: [{ name: "orphan", path: "spec.clusterName", unlessControlled: true }],
  crd: {
    shortNames: ["ms"],
    categories: ["cluster-api"],
    status: true,
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
    printerColumns: [
      CLUSTER,
      countColumn("Desired", ".spec.replicas", "Machines wanted"),
      countColumn("Current", ".status.replicas", "Machines of the set"),
      countColumn("Ready", ".status.readyReplicas", "Machines that are Ready"),
      countColumn("Available", ".status.availableReplicas", "Machines that are Available"),
      countColumn("Up-to-date", ".status.upToDateReplicas", "Machines that match the template"),
      PAUSED,
      AGE,
      TEMPLATE_VERSION,
    ],
  },
};

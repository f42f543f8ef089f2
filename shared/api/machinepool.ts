import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import { initializationSchema } from "./machine/machine-status.ts";
import {
  clusterNameSchema,
  defaultedDeletionSchema,
  machineSpecSchema,
  ONE_CLUSTER,
  versionCountSchema,
} from "./machine/machine-template.ts";
import {
  atomicList,
  type Immutable,
  mapList,
  notEmpty,
  objectMetaSchema,
  templateMetadataSchema,
  text,
  typeMeta,
  validations,
} from "./meta.ts";
import { AGE, CLUSTER, countColumn, PAUSED, TEMPLATE_VERSION } from "./printer-columns.ts";

const specSchema = () =>
  z
    .object({
      clusterName: clusterNameSchema(),
      replicas: z
        .int32()
        .optional()
        .describe(
          "Instances wanted. Default 1. With the annotation cluster.x-k8s.io/replicas-managed-by the provider decides.",
        ),
      template: z
        .object({
          metadata: templateMetadataSchema().optional(),
          spec: machineSpecSchema()
            .extend({ deletion: defaultedDeletionSchema() })
            .meta(
              validations({
                rule: "!has(self.taints)",
                message: "taints are not supported for MachinePools",
              }),
            )
            .describe("Template of every instance. taints are refused."),
        })
        .describe("Template of every instance of the pool."),
      providerIDList: atomicList(text(1, 512), { max: 10_000 })
        .optional()
        .describe(
          "Identities of the instances at their provider, at most 10000. Copied from the infrastructure object, in its order.",
        ),
      failureDomains: atomicList(text(1, 256), { max: 100 })
        .optional()
        .describe("Failure domains where instances are to run, at most 100. Providers read it."),
    })
    .describe("Desired state of the pool.")
    .meta(validations(ONE_CLUSTER));

const nodeRefSchema = () =>
  z
    .object({
      apiVersion: z.string().optional().describe("v1."),
      kind: z.string().optional().describe("Node."),
      name: z.string().optional().describe("Name of the Node."),
      namespace: z.string().optional().describe("Empty: Nodes are in no namespace."),
      uid: z.string().optional().describe("UID of the Node."),
      resourceVersion: z.string().optional().describe("Not set."),
      fieldPath: z.string().optional().describe("Not set."),
    })
    .meta({ "x-kubernetes-map-type": "atomic" });

const phaseSchema = () =>
  z.enum([
    "Pending",
    "Provisioning",
    "Provisioned",
    "Running",
    "ScalingUp",
    "ScalingDown",
    "Scaling",
    "Deleting",
    "Failed",
    "Unknown",
  ]);

const statusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    initialization: initializationSchema(),
    nodeRefs: atomicList(nodeRefSchema(), { max: 10_000 })
      .optional()
      .describe(
        "Nodes of the instances, in the order of spec.providerIDList; those of retired instances last.",
      ),
    replicas: z.int32().optional().describe("Instances that the provider reports."),
    readyReplicas: z
      .int32()
      .optional()
      .describe(
        "Ready Machines of the pool. Without Machines: the instances that the provider reports, Nodes or not.",
      ),
    availableReplicas: z
      .int32()
      .optional()
      .describe(
        "Available Machines of the pool. Without Machines: the instances that the provider reports, Nodes or not.",
      ),
    upToDateReplicas: z
      .int32()
      .optional()
      .describe("Machines that match the template. Without Machines: spec.replicas."),
    versions: mapList(versionCountSchema(), ["version"], { min: 1, max: 100 })
      .optional()
      .describe("Kubernetes versions that the Nodes run, 1 to 100."),
    phase: phaseSchema()
      .optional()
      .describe("Stage of the pool in one word, for people. Programs read the conditions."),
    observedGeneration: z
      .int()
      .min(1)
      .optional()
      .describe("Generation of the spec that this status is about."),
    deprecated: deprecatedSchema({
      ...deprecatedStatusFields(),
      readyReplicas: z.int32().optional().describe("Nodes that are Ready."),
      availableReplicas: z.int32().optional().describe("Nodes that have been Ready for minReadySeconds."),
      unavailableReplicas: z.int32().optional().describe("Replicas wanted that are not available."),
    }),
  });

const machinePoolSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: statusSchema()
        .optional()
        .describe("Observed state of the pool. Written by machinepool-status alone."),
    })
    .describe("A group of instances that a provider manages as one.");

/** A group of instances that a provider manages as one; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type MachinePool = Immutable<z.infer<ReturnType<typeof machinePoolSchema>>>;
export type MachinePoolStatus = NonNullable<MachinePool["status"]>;
export type MachinePoolPhase = NonNullable<MachinePoolStatus["phase"]>;
export type NodeRef = NonNullable<MachinePoolStatus["nodeRefs"]>[number];

export const MachinePool: Kind<MachinePool> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachinePool",
  plural: "machinepools",
  namespaced: true,
  schema: machinePoolSchema,
  clusterNamePath: "spec.clusterName",
  references: ["spec.template.spec.bootstrap.configRef", "spec.template.spec.infrastructureRef"],
  indexes: [
    { name: "providerID", path: "spec.providerIDList" },
    { name: "nodeRef", path: "status.nodeRefs", member: "name" },
  ],
  crd: {
    shortNames: ["mp"],
    categories: ["cluster-api"],
    status: true,
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    printerColumns: [
      CLUSTER,
      countColumn("Desired", ".spec.replicas", "Replicas wanted"),
      countColumn("Current", ".status.replicas", "Replicas the provider reports"),
      countColumn("Ready", ".status.readyReplicas", "Replicas that are ready"),
      countColumn("Available", ".status.availableReplicas", "Replicas that are available"),
      countColumn("Up-to-date", ".status.upToDateReplicas", "Replicas that match the template"),
      PAUSED,
      {
        name: "Phase",
        type: "string",
        jsonPath: ".status.phase",
        description: "Stage of the pool, for people",
      },
      AGE,
      TEMPLATE_VERSION,
    ],
  },
};

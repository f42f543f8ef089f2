import * as z from "zod";
import { conditionsSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import { machineSpecSchema } from "./machine-template.ts";
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

const SEMANTIC_VERSION =
  "^v?(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[-0-9A-Za-z.]+)?([+][-0-9A-Za-z.]+)?$";

/** What Cluster API's webhook refuses, as far as CEL can say it (machinepool.md 12): no admission runs here. */
const templateSpecSchema = machineSpecSchema.meta(
  validations(
    {
      rule: "has(self.bootstrap.configRef) || has(self.bootstrap.dataSecretName)",
      message: "bootstrap.configRef or bootstrap.dataSecretName must be set",
    },
    {
      rule: `!has(self.version) || self.version.matches('${SEMANTIC_VERSION}')`,
      message: "version must be a semantic version such as v1.34.0",
    },
    { rule: "!has(self.taints)", message: "taints are not supported for MachinePools" },
  ),
);

const specSchema = z
  .object({
    clusterName: text(1, 63).meta(
      validations({ rule: "self == oldSelf", message: "clusterName is immutable" }),
    ),
    replicas: z.int32().optional(),
    template: z.object({ metadata: templateMetadataSchema.optional(), spec: templateSpecSchema }),
    /** Copied from the infrastructure object; order matters. */
    providerIDList: atomicList(text(1, 512), { max: 10_000 }).optional(),
    failureDomains: atomicList(text(1, 256), { max: 100 }).optional(),
  })
  .meta(
    validations({
      rule: "self.clusterName == self.template.spec.clusterName",
      message: "clusterName and template.spec.clusterName must be the same",
    }),
  );

const nodeRefSchema = z
  .object({
    apiVersion: z.string().optional(),
    kind: z.string().optional(),
    name: z.string().optional(),
    namespace: z.string().optional(),
    uid: z.string().optional(),
    resourceVersion: z.string().optional(),
    fieldPath: z.string().optional(),
  })
  .meta({ "x-kubernetes-map-type": "atomic" });

const versionSchema = z.object({ version: text(1, 256), replicas: z.int32().min(1).optional() });

const phaseSchema = z.enum([
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

const statusSchema = notEmpty({
  conditions: conditionsSchema.optional(),
  initialization: notEmpty({
    infrastructureProvisioned: z.boolean().optional(),
    bootstrapDataSecretCreated: z.boolean().optional(),
  }).optional(),
  /** In the order of `spec.providerIDList`; refs of retired Nodes last. */
  nodeRefs: atomicList(nodeRefSchema, { max: 10_000 }).optional(),
  replicas: z.int32().optional(),
  readyReplicas: z.int32().optional(),
  availableReplicas: z.int32().optional(),
  upToDateReplicas: z.int32().optional(),
  versions: mapList(versionSchema, ["version"], { min: 1, max: 100 }).optional(),
  phase: phaseSchema.optional(),
  observedGeneration: z.int().min(1).optional(),
  deprecated: z
    .object({
      v1beta1: z
        .object({
          ...deprecatedStatusFields,
          readyReplicas: z.int32().optional(),
          availableReplicas: z.int32().optional(),
          unavailableReplicas: z.int32().optional(),
        })
        .optional(),
    })
    .optional(),
});

const machinePoolSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: specSchema,
  status: statusSchema.optional(),
});

/** A group of instances that a provider manages as one; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type MachinePool = Immutable<z.infer<typeof machinePoolSchema>>;
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
      {
        name: "Cluster",
        type: "string",
        jsonPath: ".spec.clusterName",
        description: "Cluster it belongs to",
      },
      { name: "Desired", type: "integer", jsonPath: ".spec.replicas", description: "Replicas wanted" },
      {
        name: "Current",
        type: "integer",
        jsonPath: ".status.replicas",
        description: "Replicas the provider reports",
      },
      {
        name: "Ready",
        type: "integer",
        jsonPath: ".status.readyReplicas",
        description: "Replicas that are ready",
      },
      {
        name: "Available",
        type: "integer",
        jsonPath: ".status.availableReplicas",
        description: "Replicas that are available",
      },
      {
        name: "Up-to-date",
        type: "integer",
        jsonPath: ".status.upToDateReplicas",
        description: "Replicas that match the template",
      },
      {
        name: "Paused",
        type: "string",
        jsonPath: '.status.conditions[?(@.type=="Paused")].status',
        priority: 10,
        description: "Whether reconciliation is paused",
      },
      {
        name: "Phase",
        type: "string",
        jsonPath: ".status.phase",
        description: "Where the pool stands, for people",
      },
      {
        name: "Age",
        type: "date",
        jsonPath: ".metadata.creationTimestamp",
        description: "Time since creation",
      },
      {
        name: "Version",
        type: "string",
        jsonPath: ".spec.template.spec.version",
        description: "Kubernetes version wanted",
      },
    ],
  },
};

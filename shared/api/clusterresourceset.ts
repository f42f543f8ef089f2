import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import {
  atomicList,
  EXPRESSIONS,
  IMMUTABLE,
  type Immutable,
  labelSelectorSchema,
  notEmpty,
  objectMetaSchema,
  text,
  time,
  typeMeta,
  validations,
} from "./meta.ts";
import { AGE, CLUSTER, conditionColumn, PAUSED } from "./printer-columns.ts";

/** API group of the kinds that bring manifests of users into workload clusters. */
const ADDONS_GROUP = "addons.cluster.x-k8s.io";
/** Type of the Secrets whose values are manifests; no other Secret is read for them. */
export const RESOURCE_SECRET_TYPE = `${ADDONS_GROUP}/resource-set`;

const APPLIED = conditionColumn("Applied", "ResourcesApplied", {
  description: "Whether all resources are in all Clusters",
});

const resourceShape = () => ({
  kind: z.enum(["Secret", "ConfigMap"]).describe("Secret or ConfigMap."),
  name: text(1, 253).describe("Name of the Secret or ConfigMap, which is in the same namespace."),
});

const selectorSchema = () =>
  labelSelectorSchema()
    .describe("Clusters of this namespace, by their labels; not empty. It cannot be changed.")
    .meta(
      validations(
        {
          rule: "(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",
          message: "selector must not be empty",
        },
        EXPRESSIONS,
        ...IMMUTABLE["x-kubernetes-validations"],
      ),
    );

const specSchema = () =>
  z
    .object({
      clusterSelector: selectorSchema(),
      resources: atomicList(z.object(resourceShape()), { min: 1, max: 100 }).describe(
        "Secrets and ConfigMaps whose values are manifests, 1 to 100. A Secret has the type addons.cluster.x-k8s.io/resource-set.",
      ),
      strategy: z
        .enum(["ApplyOnce", "Reconcile"])
        .meta({ default: "ApplyOnce" })
        .optional()
        .describe(
          "ApplyOnce creates what is missing, once; Reconcile applies again whenever a resource changes. It cannot be changed.",
        ),
    })
    .describe("Which manifests are brought into which workload clusters.")
    .meta(
      validations({
        rule: "!has(oldSelf.strategy) || (has(self.strategy) && self.strategy == oldSelf.strategy)",
        message: "field is immutable",
        fieldPath: ".strategy",
      }),
    );

const clusterResourceSetSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: notEmpty({
        conditions: conditionsSchema().optional(),
        observedGeneration: z
          .int()
          .min(1)
          .optional()
          .describe("Generation of the spec that this status is about."),
        deprecated: deprecatedSchema({ conditions: deprecatedStatusFields().conditions }),
      })
        .optional()
        .describe("Observed state of the set. Written by clusterresourceset-status alone."),
    })
    .describe("Manifests that are brought into workload clusters.");

/** Manifests for workload clusters; schema-compatible with Cluster API v1.14.2's v1beta2. */
export type ClusterResourceSet = Immutable<z.infer<ReturnType<typeof clusterResourceSetSchema>>>;
export type ClusterResourceSetStatus = NonNullable<ClusterResourceSet["status"]>;

export const ClusterResourceSet: Kind<ClusterResourceSet> = {
  group: ADDONS_GROUP,
  version: "v1beta2",
  kind: "ClusterResourceSet",
  plural: "clusterresourcesets",
  namespaced: true,
  schema: clusterResourceSetSchema,
  foundByNamespace: true,
  crd: { categories: ["cluster-api"], status: true, printerColumns: [APPLIED, PAUSED, AGE] },
};

const resourceBindingSchema = () =>
  z.object({
    ...resourceShape(),
    hash: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        "Hash of the values that were applied, with sha256; absent before, and for values that hold no objects.",
      ),
    lastAppliedTime: time.optional().describe("When it was tried last."),
    applied: z.boolean().describe("Whether all objects are in the workload cluster."),
  });

const bindingSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          bindings: atomicList(
            z.object({
              clusterResourceSetName: text(1, 253).describe("Name of the ClusterResourceSet."),
              resources: atomicList(resourceBindingSchema(), { max: 100 })
                .optional()
                .describe("Its resources that were applied, at most 100."),
            }),
            { max: 100 },
          )
            .optional()
            .describe("Resources that were applied, one entry for each set, at most 100."),
          clusterName: text(1, 63)
            .optional()
            .describe("Name of the Cluster, in the same namespace. It cannot be changed."),
        })
        .meta(
          validations({
            rule: "!has(oldSelf.clusterName) || (has(self.clusterName) && self.clusterName == oldSelf.clusterName)",
            message: "field is immutable",
            fieldPath: ".clusterName",
          }),
        )
        .optional()
        .describe("Resources that were applied to one Cluster. Written by clusterresourceset-apply."),
    })
    .describe("Resources that ClusterResourceSets have brought into one workload cluster.");

/** The resources that were applied to the Cluster of the same name; schema-compatible with Cluster API v1.14.2's v1beta2. */
export type ClusterResourceSetBinding = Immutable<z.infer<ReturnType<typeof bindingSchema>>>;
/** The entry of one set. */
export type SetBinding = NonNullable<NonNullable<ClusterResourceSetBinding["spec"]>["bindings"]>[number];
/** The entry of one Secret or ConfigMap of a set. */
export type ResourceBinding = NonNullable<SetBinding["resources"]>[number];

export const ClusterResourceSetBinding: Kind<ClusterResourceSetBinding> = {
  group: ADDONS_GROUP,
  version: "v1beta2",
  kind: "ClusterResourceSetBinding",
  plural: "clusterresourcesetbindings",
  namespaced: true,
  schema: bindingSchema,
  foundByNamespace: true,
  crd: { categories: ["cluster-api"], status: false, printerColumns: [CLUSTER, AGE] },
};

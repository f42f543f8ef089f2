import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import {
  clusterNameSchema,
  ONE_CLUSTER,
  templateSpecSchema,
  versionCountSchema,
} from "./machine/machine-template.ts";
import {
  type Immutable,
  labelSelectorSchema,
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
        .meta(validations({ rule: "self >= 0", message: "replicas must not be negative" }))
        .optional()
        .describe("Machines wanted. Default 1."),
      // Differs: not atomic, so that who adds the label of the Cluster takes the rest from no author, and a manifest that
      // is applied again conflicts with none.
      selector: labelSelectorSchema()
        .meta({ "x-kubernetes-map-type": "granular" })
        .describe("Labels of the Machines that belong to the set; the labels of the template must match."),
      template: z
        .object({
          metadata: templateMetadataSchema().optional(),
          spec: templateSpecSchema({
            rule: "!has(self.taints) || self.taints.all(t, t.key != 'node-role.kubernetes.io/control-plane')",
            message: "taints must not have the key node-role.kubernetes.io/control-plane on workers",
          }).describe("Template of every Machine."),
        })
        .describe("Template of every Machine of the set."),
      machineNaming: notEmpty({
        template: text(1, 256)
          .meta(
            validations({
              rule: "self.contains('{{ .random }}')",
              message: "template must contain {{ .random }}",
            }),
          )
          .optional()
          .describe(
            "Template of the names, with the variables .cluster.name, .machineSet.name and .random. Default {{ .machineSet.name }}-{{ .random }}.",
          ),
      })
        .optional()
        .describe("How new Machines are named."),
      deletion: notEmpty({
        order: z
          .enum(["Random", "Newest", "Oldest"])
          .optional()
          .describe("Which Machines go first when the set gets smaller. Default Random."),
      })
        .optional()
        .describe("How Machines are chosen for deletion."),
    })
    .describe("Desired state of the set.")
    .meta(
      validations(ONE_CLUSTER, {
        // The value with `in`, since comparing two texts without a limit costs more than a rule may, as reading a path of
        // four for each label does: `l` are the labels of the template.
        rule: "!has(self.selector.matchLabels) || size(self.selector.matchLabels) == 0 || (has(self.template.metadata) && has(self.template.metadata.labels) && [self.template.metadata.labels].all(l, self.selector.matchLabels.all(k, k in l && self.selector.matchLabels[k] in [l[k]])))",
        message: "selector.matchLabels does not match template.metadata.labels; set the same labels in both",
        fieldPath: ".selector",
      }),
    );

const statusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    selector: text(1, 4096).optional().describe("The selector as text, for the scale subresource."),
    replicas: z.int32().optional().describe("Machines of the set, those that are being deleted too."),
    readyReplicas: z.int32().optional().describe("Machines that are Ready."),
    availableReplicas: z.int32().optional().describe("Machines that are Available."),
    upToDateReplicas: z.int32().optional().describe("Machines that are UpToDate."),
    versions: mapList(versionCountSchema(), ["version"], { min: 1, max: 100 })
      .optional()
      .describe("Kubernetes versions that the Machines run, 1 to 100."),
    observedGeneration: z
      .int()
      .min(1)
      .optional()
      .describe("Generation of the spec that this status is about."),
    deprecated: deprecatedSchema({
      ...deprecatedStatusFields(),
      fullyLabeledReplicas: z.int32().optional().describe("Machines that have the labels of the template."),
      readyReplicas: z.int32().optional().describe("Machines whose Node is Ready."),
      availableReplicas: z
        .int32()
        .optional()
        .describe("Machines whose Node has been Ready for minReadySeconds."),
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

export const MachineSet: Kind<MachineSet> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineSet",
  plural: "machinesets",
  namespaced: true,
  schema: machineSetSchema,
  clusterNamePath: "spec.clusterName",
  references: ["spec.template.spec.bootstrap.configRef", "spec.template.spec.infrastructureRef"],
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

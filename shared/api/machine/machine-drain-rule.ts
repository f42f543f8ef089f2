import * as z from "zod";
import type { Kind } from "../kinds.ts";
import {
  atomicList,
  type Immutable,
  labelSelectorSchema,
  notEmpty,
  objectMetaSchema,
  typeMeta,
  validations,
} from "../meta.ts";
import { AGE } from "../printer-columns.ts";

function uniqueEntries(field: string) {
  return validations({
    rule: "self.all(x, self.exists_one(y, x == y))",
    message: `entries in ${field} must be unique`,
  });
}

/** A selector that stands in a list: what `EXPRESSIONS` says elsewhere, as a schema. */
function listedSelectorSchema() {
  const selector = labelSelectorSchema();
  const requirement = selector.shape.matchExpressions.unwrap().element.meta({
    anyOf: [
      { properties: { operator: { enum: ["In", "NotIn"] }, values: { minItems: 1 } }, required: ["values"] },
      { properties: { operator: { enum: ["Exists", "DoesNotExist"] }, values: { maxItems: 0 } } },
    ],
  });
  return selector
    .extend({
      matchExpressions: atomicList(requirement)
        .optional()
        .describe("Requirements on labels; all of them must hold."),
    })
    .meta({ "x-kubernetes-map-type": "atomic" });
}

const machineSelectorSchema = () =>
  notEmpty({
    selector: listedSelectorSchema().optional().describe("Selects Machines by their labels. Default: all."),
    clusterSelector: listedSelectorSchema()
      .optional()
      .describe("Selects Machines by the labels of their Clusters. Default: all."),
  });

const podSelectorSchema = () =>
  notEmpty({
    selector: listedSelectorSchema().optional().describe("Selects Pods by their labels. Default: all."),
    namespaceSelector: listedSelectorSchema()
      .optional()
      .describe("Selects Pods by the labels of their Namespaces. Default: all."),
  });

const machineDrainRuleSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          drain: z
            .object({
              behavior: z
                .enum(["Drain", "Skip", "WaitCompleted"])
                .describe(
                  "Drain evicts the Pods, Skip leaves them alone, WaitCompleted waits until they have ended.",
                ),
              order: z
                .int32()
                .optional()
                .describe("Pods of a lower order leave first. Only for Drain. Default 0."),
            })
            .meta(
              validations({
                rule: "!has(self.order) || self.behavior == 'Drain'",
                message: "order can only be set when behavior is Drain",
              }),
            )
            .describe("How the Pods leave while the Node of a deleted Machine is drained."),
          machines: atomicList(machineSelectorSchema(), { min: 1, max: 32 })
            .meta(uniqueEntries("machines"))
            .optional()
            .describe(
              "Machines of this namespace that the rule is for; one of the entries must fit. Default: all.",
            ),
          pods: atomicList(podSelectorSchema(), { min: 1, max: 32 })
            .meta(uniqueEntries("pods"))
            .optional()
            .describe("Pods that the rule is for; one of the entries must fit. Default: all."),
        })
        .describe("How Pods are drained."),
    })
    .describe("Says for some Pods how they leave the Node of a deleted Machine.");

/** Read live while a Node is drained; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type MachineDrainRule = Immutable<z.infer<ReturnType<typeof machineDrainRuleSchema>>>;

export const MachineDrainRule: Kind<MachineDrainRule> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineDrainRule",
  plural: "machinedrainrules",
  namespaced: true,
  schema: machineDrainRuleSchema,
  crd: {
    categories: ["cluster-api"],
    // Nothing owns a rule. Differs: without the label, as upstream, a move leaves it behind and drains ignore it.
    labels: { "clusterctl.cluster.x-k8s.io/move": "" },
    status: false,
    requiresMetadata: true,
    printerColumns: [
      {
        name: "Behavior",
        type: "string",
        jsonPath: ".spec.drain.behavior",
        description: "Drain, Skip or WaitCompleted",
      },
      {
        name: "Order",
        type: "string",
        jsonPath: ".spec.drain.order",
        description: "Pods of a lower order leave first",
      },
      AGE,
    ],
  },
};

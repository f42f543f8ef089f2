import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "./conditions.ts";
import { CLUSTER_NAME_LABEL } from "./indexes.ts";
import type { Kind } from "./kinds.ts";
import { checkFields, remediationFields, triggerFields } from "./machine/health-check-fields.ts";
import {
  atomicList,
  EXPRESSIONS,
  IMMUTABLE,
  type Immutable,
  intOrString,
  labelSelectorSchema,
  notEmpty,
  objectMetaSchema,
  seconds,
  text,
  typeMeta,
  validations,
} from "./meta.ts";
import { AGE, CLUSTER, countColumn, PAUSED } from "./printer-columns.ts";

/** Rules, texts and defaults of Cluster API's webhook: no admission runs here. */

/** Timeout of a health check that names none. */
export const STARTUP_TIMEOUT_SECONDS = 600;

const startupTimeoutSchema = () =>
  seconds()
    .meta({
      default: STARTUP_TIMEOUT_SECONDS,
      ...validations({ rule: "self == 0 || self >= 30", message: "must be at least 30s" }),
    })
    .optional()
    .describe("Seconds after which a Machine without a Node is unhealthy. 0: never. Default 600.");

/** A text is a percentage: `10` in quotes is refused. */
const limitSchema = () =>
  intOrString()
    .meta({
      "x-kubernetes-int-or-string": true,
      ...validations({
        rule: "type(self) == int || self.matches('^[-+]?[0-9]+%$')",
        message: "must be either an int or a percentage: write a number such as 2, or a text such as 40%",
      }),
    })
    .optional()
    .describe(triggerFields().unhealthyLessThanOrEqualTo.description ?? "");

const LOW = "int(self.substring(1, self.indexOf('-')))";
const HIGH = "int(self.substring(self.indexOf('-') + 1, size(self) - 1))";
/** Differs: v1.14.0 accepts such a range, and its controller then fails for ever. */
const rangeSchema = () =>
  triggerFields()
    .unhealthyInRange.unwrap()
    .meta(
      validations({
        rule: `self.matches('^\\\\[0*[0-9]{1,10}-0*[0-9]{1,10}\\\\]$') && ${LOW} <= ${HIGH} && ${HIGH} <= 2147483647`,
        message: "must be [low-high], the smaller number first, neither above 2147483647",
      }),
    )
    .optional()
    .describe(triggerFields().unhealthyInRange.description ?? "");

const specSchema = () =>
  z
    .object({
      clusterName: text(1, 63)
        .meta(IMMUTABLE)
        .describe("Name of the Cluster it belongs to, in the same namespace. Cannot be changed."),
      selector: labelSelectorSchema()
        .meta({
          "x-kubernetes-map-type": "atomic",
          ...validations(
            {
              rule: "(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",
              message: "selector must not be empty",
              reason: "FieldValueRequired",
            },
            EXPRESSIONS,
          ),
        })
        .describe("Labels of the Machines that are checked. They must belong to the Cluster, too."),
      checks: notEmpty({ ...checkFields(), nodeStartupTimeoutSeconds: startupTimeoutSchema() })
        .meta({ default: { nodeStartupTimeoutSeconds: STARTUP_TIMEOUT_SECONDS } })
        .optional()
        .describe("Checks that make a Machine unhealthy."),
      remediation: notEmpty({
        ...remediationFields(),
        triggerIf: notEmpty({ unhealthyLessThanOrEqualTo: limitSchema(), unhealthyInRange: rangeSchema() })
          .optional()
          .describe("When unhealthy Machines are remediated. Default always."),
      })
        .optional()
        .describe("How unhealthy Machines are remediated. Default: their owners replace them."),
    })
    .describe("Desired state of the health check.")
    .meta(
      validations({
        rule: `!has(self.selector.matchLabels) || !('${CLUSTER_NAME_LABEL}' in self.selector.matchLabels) || self.selector.matchLabels['${CLUSTER_NAME_LABEL}'] == self.clusterName`,
        message: "cannot specify a cluster selector other than the one specified by ClusterName",
        fieldPath: ".selector",
      }),
    );

const count = () => z.int32().min(0).optional();

const statusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    expectedMachines: count().describe("Machines that are checked."),
    currentHealthy: count().describe("Those of them that are healthy."),
    remediationsAllowed: count().describe(
      "Further Machines that may become unhealthy until remediation stops.",
    ),
    observedGeneration: z
      .int()
      .min(1)
      .optional()
      .describe("Generation of the spec that this status is about."),
    targets: atomicList(text(1, 253), { max: 10_000 })
      .optional()
      .describe("Names of the Machines that are checked, in order; the first 10,000 of them."),
    deprecated: deprecatedSchema({ conditions: deprecatedStatusFields().conditions }),
  });

const machineHealthCheckSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: statusSchema().optional().describe("Observed state of the health check."),
    })
    .describe("Finds unhealthy Machines of a Cluster and has them remediated.");

/** Finds unhealthy Machines; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type MachineHealthCheck = Immutable<z.infer<ReturnType<typeof machineHealthCheckSchema>>>;
export type MachineHealthCheckStatus = NonNullable<MachineHealthCheck["status"]>;

export const MachineHealthCheck: Kind<MachineHealthCheck> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "MachineHealthCheck",
  plural: "machinehealthchecks",
  namespaced: true,
  schema: machineHealthCheckSchema,
  clusterNamePath: "spec.clusterName",
  references: ["spec.remediation.templateRef"],
  templates: ["spec.remediation.templateRef"],
  indexes: [{ name: "selector", path: "spec.selector.matchLabels", pairs: "first" }],
  crd: {
    shortNames: ["mhc", "mhcs"],
    categories: ["cluster-api"],
    status: true,
    printerColumns: [
      CLUSTER,
      countColumn("Replicas", ".status.expectedMachines", "Machines that are checked"),
      countColumn("Healthy", ".status.currentHealthy", "Those of them that are healthy"),
      PAUSED,
      AGE,
    ],
  },
};

import * as z from "zod";
import { conditionStatusSchema } from "../conditions.ts";
import {
  atomicList,
  CONDITION_TYPE,
  DNS_SUBDOMAIN,
  dnsSubdomain,
  intOrString,
  kindName,
  notEmpty,
  seconds,
  text,
  validations,
} from "../meta.ts";

/** Fields that a MachineHealthCheck and the health checks of a topology have in common. */

/** Conditions that a health check itself writes or derives must not feed it. */
const OWN_CONDITIONS = [
  "Ready",
  "Available",
  "HealthCheckSucceeded",
  "OwnerRemediated",
  "ExternallyRemediated",
];
const machineConditionTypeSchema = () =>
  text(1, 316, CONDITION_TYPE)
    .refine((type) => !OWN_CONDITIONS.includes(type), `type must not be one of: ${OWN_CONDITIONS.join(", ")}`)
    .meta(
      validations({
        rule: `!(self in [${OWN_CONDITIONS.map((type) => `'${type}'`).join(",")}])`,
        message: `type must not be one of: ${OWN_CONDITIONS.join(", ")}`,
      }),
    );

/** Checks that make a Machine unhealthy. */
export const checkFields = () => ({
  nodeStartupTimeoutSeconds: seconds()
    .optional()
    .describe("Seconds after which a Machine without a Node is unhealthy. 0: never."),
  unhealthyNodeConditions: atomicList(
    z.object({
      type: z.string().min(1).describe("Type of a condition of the Node."),
      status: z.string().min(1).describe("Status that is unhealthy: True, False or Unknown."),
      timeoutSeconds: seconds().describe("Seconds that it must last."),
    }),
    { min: 1, max: 100 },
  )
    .optional()
    .describe("Conditions of the Node that make a Machine unhealthy, 1 to 100."),
  unhealthyMachineConditions: atomicList(
    z.object({
      type: machineConditionTypeSchema().describe("Type of a condition of the Machine."),
      status: conditionStatusSchema().describe("Status that is unhealthy: True, False or Unknown."),
      timeoutSeconds: seconds().describe("Seconds that it must last."),
    }),
    { min: 1, max: 100 },
  )
    .optional()
    .describe("Conditions of the Machine that make it unhealthy, 1 to 100."),
});

/** How many Machines may be unhealthy while unhealthy ones are remediated. */
export const triggerFields = () => ({
  unhealthyLessThanOrEqualTo: intOrString()
    .optional()
    .describe("At most so many Machines are unhealthy: a count, or a percentage such as 40%."),
  unhealthyInRange: text(1, 32, "^\\[[0-9]+-[0-9]+\\]$")
    .optional()
    .describe("So many Machines are unhealthy: [low-high], both inclusive, such as [1-3]."),
});

/** How unhealthy Machines are remediated. */
export const remediationFields = () => ({
  triggerIf: notEmpty(triggerFields())
    .optional()
    .describe("When unhealthy Machines are remediated. Default always."),
  templateRef: z
    .object({
      apiVersion: text(1, 317, `^${DNS_SUBDOMAIN}\\/[a-z]([-a-z0-9]*[a-z0-9])?$`).describe(
        "API group and version of the template.",
      ),
      kind: kindName().describe("Kind of the template."),
      name: dnsSubdomain().describe("Name of the template, in the same namespace."),
    })
    .optional()
    .describe("Template of a provider that remediates in place of deleting the Machine."),
});

import * as z from "zod";
import { conditionStatusSchema } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import {
  atomicList,
  dnsSubdomain,
  IMMUTABLE,
  type Immutable,
  notEmpty,
  objectMetaSchema,
  text,
  time,
  typeMeta,
  validations,
} from "./meta.ts";
import { AGE, CLUSTER, countColumn } from "./printer-columns.ts";

const WEEK_SECONDS = 604_800;
/** Most entries of the history; the rest of the object has to fit into a request beside them. */
const MAX_ENTRIES = 500;

const window = () => z.int32().min(60).max(WEEK_SECONDS);

function uniqueEntries(field: string) {
  return validations({
    rule: "self.all(x, self.exists_one(y, x == y))",
    message: `entries in ${field} must be unique`,
  });
}

const pacingSchema = () =>
  z.object({
    maxRemediations: z.int32().min(1).describe("Remediations that may start within the window."),
    windowSeconds: window().describe("Length of the window in seconds, 60 to 604800."),
  });

const retriesSchema = () =>
  z
    .object({
      perMachine: z.int32().min(0).optional().describe("Remediations of one Machine within the window."),
      perController: z
        .int32()
        .min(0)
        .optional()
        .describe("Remediations of all Machines of one owner, such as a MachineSet, within the window."),
      windowSeconds: window().describe("Length of the window in seconds, 60 to 604800."),
    })
    .meta(
      validations({
        rule: "has(self.perMachine) || has(self.perController)",
        message: "must limit something: set perMachine, perController or both",
      }),
    );

const escalationSchema = () =>
  notEmpty({
    afterSeconds: z
      .int32()
      .min(60)
      .optional()
      .describe("Age of a request, in seconds, after which its Machine is left to the owner. At least 60."),
    phases: atomicList(text(1, 63), { min: 1, max: 16 })
      .optional()
      .describe("Values of status.phase of a request that mean the same, such as Failed."),
    conditions: atomicList(
      z.object({
        type: text(1, 316).describe("Type of a condition of the request, such as Succeeded."),
        status: conditionStatusSchema().describe("Its status: True, False or Unknown."),
      }),
      { min: 1, max: 16 },
    )
      .optional()
      .describe("Conditions of a request that mean the same."),
  });

const historySchema = () =>
  notEmpty({
    maxEntries: z
      .int32()
      .min(10)
      .max(MAX_ENTRIES)
      .optional()
      .describe("Most entries that are kept, 10 to 500. Default 500."),
    recordVerdicts: z.boolean().optional().describe("Keep failed health checks, too. Default false."),
  });

const specSchema = () =>
  z
    .object({
      clusterName: text(1, 63)
        .meta(IMMUTABLE)
        .describe("Name of the Cluster it is for, in the same namespace. Cannot be changed."),
      healthChecks: atomicList(dnsSubdomain(), { min: 1, max: 100 })
        .meta(uniqueEntries("healthChecks"))
        .optional()
        .describe("Names of the MachineHealthChecks that it binds. Default: all of the Cluster."),
      pacing: pacingSchema()
        .optional()
        .describe("How many remediations may start in a time. Default any number."),
      cooldownSeconds: z
        .int32()
        .min(0)
        .max(WEEK_SECONDS)
        .optional()
        .describe("Seconds after a remediation of a Machine in which it gets no other. Default 0."),
      retries: retriesSchema()
        .optional()
        .describe(
          "How often a Machine, or the Machines of one owner, may be remediated. Default any number.",
        ),
      escalation: escalationSchema()
        .optional()
        .describe(
          "When the owner replaces a Machine that an external controller does not repair. Default never.",
        ),
      controlPlaneQuorum: z
        .boolean()
        .optional()
        .describe(
          "Remediate a control plane Machine only while most of the others are healthy. Default false.",
        ),
      history: historySchema().optional().describe("The entries that are kept in the status."),
    })
    .describe("Limits of the remediation beyond those of the health checks.");

const machineSchema = () =>
  z
    .object({ name: text(1, 253).describe("Its name."), uid: text(1, 128).describe("Its uid.") })
    .describe("The Machine.");

const entrySchema = () =>
  z.object({
    machine: machineSchema(),
    failedAt: time.describe("When its health check failed: the transition time of HealthCheckSucceeded."),
    healthCheck: text(1, 253).describe("Name of the MachineHealthCheck."),
    reason: text(1, 256).describe("Reason of the failed health check."),
    startedAt: time.describe("When the remediation was entered. It starts after that."),
    by: z
      .enum(["Owner", "ExternalController"])
      .describe("Who remediates: the owner of the Machine, or the controller of the template."),
    controller: text(1, 317)
      .optional()
      .describe("Kind and name of the owner that controls the Machine: MachineSet s1."),
    actor: text(1, 317)
      .optional()
      .describe("Kind and name of what remediates: MachineSet s1, or the request to an external controller."),
    controlPlane: z.boolean().optional().describe("Whether it is a control plane Machine. Default false."),
    outcome: z
      .enum(["Recovered", "Deleted", "Escalated", "Withdrawn"])
      .optional()
      .describe(
        "Recovered: healthy again. Deleted: the Machine is gone. Escalated: an external controller has had its time, and the owner acts. Withdrawn: the Machine was taken out before it was handed over, or moved to another management cluster.",
      ),
    endedAt: time.optional().describe("When it ended. Absent: it is under way."),
  });
/** One remediation in the history of a policy. */
export type RemediationEntry = Immutable<z.infer<ReturnType<typeof entrySchema>>>;

const verdictSchema = () =>
  z.object({
    machine: machineSchema(),
    failedAt: time.describe("When its health check failed."),
    reason: text(1, 256).describe("Reason of the failed health check."),
  });
/** One failed health check in the history of a policy. */
export type RecordedVerdict = Immutable<z.infer<ReturnType<typeof verdictSchema>>>;

const remediationPolicySchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: z
        .object({
          policyUID: text(1, 128)
            .optional()
            .describe(
              "Uid of the policy when this was written. Another one than its own: it was moved here, and its Machines must be found again by their names.",
            ),
          underWay: z.int32().min(0).optional().describe("Entries without end."),
          remediations: atomicList(entrySchema(), { max: MAX_ENTRIES })
            .optional()
            .describe("Remediations, the oldest first."),
          verdicts: atomicList(verdictSchema(), { max: MAX_ENTRIES })
            .optional()
            .describe("Failed health checks, the oldest first; with history.recordVerdicts."),
        })
        .optional()
        .describe("Remediations so far. Hand-overs are counted in it, so that it outlives a restart."),
    })
    .describe("Limits the remediation by the MachineHealthChecks of a Cluster, and keeps its history.");

/** Opt-in limits of remediation, of Capstan itself: Cluster API has no such kind. */
export type RemediationPolicy = Immutable<z.infer<ReturnType<typeof remediationPolicySchema>>>;

export const RemediationPolicy: Kind<RemediationPolicy> = {
  group: "capstan.dev",
  version: "v1alpha1",
  kind: "RemediationPolicy",
  plural: "remediationpolicies",
  namespaced: true,
  schema: remediationPolicySchema,
  clusterNamePath: "spec.clusterName",
  crd: {
    shortNames: ["rempol"],
    categories: ["cluster-api"],
    // No subresource: clusterctl and backups carry what is in the object itself, and the history has to move with it.
    status: false,
    printerColumns: [
      CLUSTER,
      countColumn("Under way", ".status.underWay", "Remediations that are under way"),
      AGE,
    ],
  },
};

import * as z from "zod";
import { checkFields, remediationFields } from "../machine/health-check-fields.ts";
import {
  conditionGatesSchema,
  deletionTimeouts,
  machineTaintsSchema,
  versionSchema,
} from "../machine/machine-template.ts";
import {
  atomicList,
  DNS_SUBDOMAIN,
  dnsLabel,
  dnsSubdomain,
  intOrString,
  mapList,
  notEmpty,
  seconds,
  templateMetadataSchema,
  text,
  time,
} from "../meta.ts";

const variableSchema = () =>
  z.object({
    name: text(1, 256).describe("Name of a variable of the ClusterClass."),
    value: z
      .unknown()
      .refine((value) => value !== undefined && value !== null, "required")
      .meta({ "x-kubernetes-preserve-unknown-fields": true })
      .describe("Any JSON; the ClusterClass says which."),
  });
const variablesSchema = () => mapList(variableSchema(), ["name"], { min: 1, max: 1000 });

/** `R` because only a MachineDeployment limits how many remediations run at the same time. */
function healthCheckSchema<R extends z.ZodRawShape>(remediation: R) {
  return notEmpty({
    enabled: z
      .boolean()
      .optional()
      .describe("Whether Machines are checked. Default: what the ClusterClass says."),
    checks: notEmpty(checkFields()).optional().describe("Conditions that make a Machine unhealthy."),
    remediation: notEmpty(remediation).optional().describe("How unhealthy Machines are replaced."),
  });
}

/** Fields that the control plane and both kinds of workers of a topology may override. */
const overridden = () => ({
  metadata: templateMetadataSchema().optional(),
  replicas: z
    .int32()
    .optional()
    .describe("Replicas wanted. Absent: an autoscaler or the ClusterClass decides."),
  taints: machineTaintsSchema().optional().describe("Taints of the Nodes, 1 to 64."),
  variables: notEmpty({
    overrides: variablesSchema()
      .optional()
      .describe("Values that differ from spec.topology.variables, 1 to 1000."),
  })
    .optional()
    .describe("Variables of the ClusterClass for this part alone."),
});

const HEALTH_CHECK = "How unhealthy Machines are found and remediated.";
const DELETION = "How long each stage of the deletion of a Machine may take.";
const READINESS_GATES = "Further conditions of a Machine that count for its condition Ready, 1 to 32.";
const ROLLOUT_AFTER = "Machines that are older than this time are replaced once it has come.";
const CLASS = "Name of the class of workers in the ClusterClass.";
const NAME = "Name within the topology, unique.";
const MIN_READY = "Seconds that a Node must be Ready before it counts as available. Default 0.";

const controlPlaneSchema = () =>
  notEmpty({
    ...overridden(),
    healthCheck: healthCheckSchema(remediationFields()).optional().describe(HEALTH_CHECK),
    deletion: notEmpty(deletionTimeouts()).optional().describe(DELETION),
    readinessGates: conditionGatesSchema().optional().describe(READINESS_GATES),
    rollout: notEmpty({ after: time.optional().describe(ROLLOUT_AFTER) })
      .optional()
      .describe("When machines are replaced."),
  });

const workerName = () => text(1, 63, `^${DNS_SUBDOMAIN}$`);
const rolloutSchema = () =>
  notEmpty({
    after: time.optional().describe(ROLLOUT_AFTER),
    strategy: notEmpty({
      type: z
        .enum(["RollingUpdate", "OnDelete"])
        .describe("RollingUpdate: step by step. OnDelete: only Machines that a user deletes are replaced."),
      rollingUpdate: notEmpty({
        maxUnavailable: intOrString()
          .optional()
          .describe("So many Machines may be missing: a count or a percentage. Default 0."),
        maxSurge: intOrString()
          .optional()
          .describe("So many Machines may be too many: a count or a percentage. Default 1."),
      })
        .optional()
        .describe("Steps of a RollingUpdate."),
    })
      .optional()
      .describe("How Machines are replaced."),
  });

const machineDeploymentSchema = () =>
  z.object({
    ...overridden(),
    class: text(1, 256).describe(CLASS),
    name: workerName().describe(NAME),
    failureDomain: text(1, 256).optional().describe("Failure domain where the Machines are to run."),
    healthCheck: healthCheckSchema({
      ...remediationFields(),
      maxInFlight: intOrString()
        .optional()
        .describe("So many remediations may run at once: a count or a percentage. Default: without limit."),
    })
      .optional()
      .describe(HEALTH_CHECK),
    deletion: notEmpty({
      ...deletionTimeouts(),
      order: z
        .enum(["Random", "Newest", "Oldest"])
        .optional()
        .describe("Which Machines go first when there are too many. Default Random."),
    })
      .optional()
      .describe(DELETION),
    minReadySeconds: seconds().optional().describe(MIN_READY),
    readinessGates: conditionGatesSchema().optional().describe(READINESS_GATES),
    rollout: rolloutSchema().optional().describe("When and how Machines are replaced."),
  });

const machinePoolSchema = () =>
  z.object({
    ...overridden(),
    class: text(1, 256).describe(CLASS),
    name: workerName().describe(NAME),
    failureDomains: atomicList(text(1, 256), { min: 1, max: 100 })
      .optional()
      .describe("Failure domains where instances are to run, 1 to 100."),
    deletion: notEmpty(deletionTimeouts()).optional().describe(DELETION),
    minReadySeconds: seconds().optional().describe(MIN_READY),
  });

/** A Cluster made from a ClusterClass. Accepted and kept; Capstan does not reconcile it. */
export const topologySchema = () =>
  z.object({
    classRef: z
      .object({
        name: dnsSubdomain().describe("Name of the ClusterClass."),
        namespace: dnsLabel().optional().describe("Its namespace. Default: that of the Cluster."),
      })
      .describe("The ClusterClass that the Cluster is made from."),
    version: versionSchema().describe("Kubernetes version wanted, such as v1.34.0."),
    controlPlane: controlPlaneSchema().optional().describe("The control plane."),
    workers: notEmpty({
      machineDeployments: mapList(machineDeploymentSchema(), ["name"], { min: 1, max: 2000 })
        .optional()
        .describe("MachineDeployments to make, 1 to 2000."),
      machinePools: mapList(machinePoolSchema(), ["name"], { min: 1, max: 2000 })
        .optional()
        .describe("MachinePools to make, 1 to 2000."),
    })
      .optional()
      .describe("The workers."),
    variables: variablesSchema()
      .optional()
      .describe("Values of the variables of the ClusterClass, 1 to 1000."),
  });

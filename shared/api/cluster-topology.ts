import * as z from "zod";
import { conditionStatusSchema } from "./conditions.ts";
import { conditionGatesSchema, deletionTimeouts, machineTaintsSchema } from "./machine-template.ts";
import {
  atomicList,
  CONDITION_TYPE,
  DNS_SUBDOMAIN,
  dnsLabel,
  dnsSubdomain,
  intOrString,
  kindName,
  mapList,
  notEmpty,
  seconds,
  templateMetadataSchema,
  text,
  time,
  validations,
} from "./meta.ts";

const variableSchema = z.object({
  name: text(1, 256),
  /** Any JSON; the ClusterClass says which. */
  value: z
    .unknown()
    .refine((value) => value !== undefined && value !== null, "required")
    .meta({ "x-kubernetes-preserve-unknown-fields": true }),
});
const variablesSchema = mapList(variableSchema, ["name"], { min: 1, max: 1000 });

/** Conditions that a health check itself writes or derives must not feed it. */
const OWN_CONDITIONS = [
  "Ready",
  "Available",
  "HealthCheckSucceeded",
  "OwnerRemediated",
  "ExternallyRemediated",
];
const machineConditionTypeSchema = text(1, 316, CONDITION_TYPE)
  .refine((type) => !OWN_CONDITIONS.includes(type), `type must not be one of: ${OWN_CONDITIONS.join(", ")}`)
  .meta(
    validations({
      rule: `!(self in [${OWN_CONDITIONS.map((type) => `'${type}'`).join(",")}])`,
      message: `type must not be one of: ${OWN_CONDITIONS.join(", ")}`,
    }),
  );

const checksSchema = notEmpty({
  nodeStartupTimeoutSeconds: seconds.optional(),
  unhealthyNodeConditions: atomicList(
    z.object({ type: z.string().min(1), status: z.string().min(1), timeoutSeconds: seconds }),
    { min: 1, max: 100 },
  ).optional(),
  unhealthyMachineConditions: atomicList(
    z.object({ type: machineConditionTypeSchema, status: conditionStatusSchema, timeoutSeconds: seconds }),
    { min: 1, max: 100 },
  ).optional(),
});

const remediation = {
  triggerIf: notEmpty({
    unhealthyLessThanOrEqualTo: intOrString.optional(),
    /** `[low-high]`, both inclusive. */
    unhealthyInRange: text(1, 32, "^\\[[0-9]+-[0-9]+\\]$").optional(),
  }).optional(),
  templateRef: z
    .object({
      apiVersion: text(1, 317, `^${DNS_SUBDOMAIN}\\/[a-z]([-a-z0-9]*[a-z0-9])?$`),
      kind: kindName,
      name: dnsSubdomain,
    })
    .optional(),
};

/** `R` because only a MachineDeployment limits how many remediations run at the same time. */
function healthCheckSchema<R extends z.ZodRawShape>(remediationFields: R) {
  return notEmpty({
    enabled: z.boolean().optional(),
    checks: checksSchema.optional(),
    remediation: notEmpty(remediationFields).optional(),
  });
}

/** What the control plane and both kinds of workers of a topology may override. */
const overridden = {
  metadata: templateMetadataSchema.optional(),
  replicas: z.int32().optional(),
  taints: machineTaintsSchema.optional(),
  variables: notEmpty({ overrides: variablesSchema.optional() }).optional(),
};

const controlPlaneSchema = notEmpty({
  ...overridden,
  healthCheck: healthCheckSchema(remediation).optional(),
  deletion: notEmpty(deletionTimeouts).optional(),
  readinessGates: conditionGatesSchema.optional(),
  rollout: notEmpty({ after: time.optional() }).optional(),
});

const workerName = text(1, 63, `^${DNS_SUBDOMAIN}$`);
const rolloutSchema = notEmpty({
  after: time.optional(),
  strategy: notEmpty({
    type: z.enum(["RollingUpdate", "OnDelete"]),
    rollingUpdate: notEmpty({
      maxUnavailable: intOrString.optional(),
      maxSurge: intOrString.optional(),
    }).optional(),
  }).optional(),
});

const machineDeploymentSchema = z.object({
  ...overridden,
  class: text(1, 256),
  name: workerName,
  failureDomain: text(1, 256).optional(),
  healthCheck: healthCheckSchema({ ...remediation, maxInFlight: intOrString.optional() }).optional(),
  deletion: notEmpty({
    ...deletionTimeouts,
    order: z.enum(["Random", "Newest", "Oldest"]).optional(),
  }).optional(),
  minReadySeconds: seconds.optional(),
  readinessGates: conditionGatesSchema.optional(),
  rollout: rolloutSchema.optional(),
});

const machinePoolSchema = z.object({
  ...overridden,
  class: text(1, 256),
  name: workerName,
  failureDomains: atomicList(text(1, 256), { min: 1, max: 100 }).optional(),
  deletion: notEmpty(deletionTimeouts).optional(),
  minReadySeconds: seconds.optional(),
});

/** A Cluster made from a ClusterClass. Accepted and kept; Capstan does not reconcile it. */
export const topologySchema = z.object({
  classRef: z.object({ name: dnsSubdomain, namespace: dnsLabel.optional() }),
  version: text(1, 256),
  controlPlane: controlPlaneSchema.optional(),
  workers: notEmpty({
    machineDeployments: mapList(machineDeploymentSchema, ["name"], { min: 1, max: 2000 }).optional(),
    machinePools: mapList(machinePoolSchema, ["name"], { min: 1, max: 2000 }).optional(),
  }).optional(),
  variables: variablesSchema.optional(),
});

import * as z from "zod";
import { conditionsSchema, deprecatedStatusFields } from "./conditions.ts";
import { atomicList, mapList, notEmpty, stringMap, text } from "./meta.ts";

const count = z.int32().optional();
const version = text(1, 256);
const limits = { min: 1, max: 32 };

/** Replica counts and versions of the control plane, or of all workers together. */
const replicasSchema = z.object({
  desiredReplicas: count,
  replicas: count,
  readyReplicas: count,
  availableReplicas: count,
  upToDateReplicas: count,
  versions: atomicList(z.object({ version, replicas: z.int32().min(1).optional() }), limits).optional(),
  /** Versions still to go through; only with a topology. */
  upgradePlan: atomicList(z.object({ version }), limits).optional(),
});

const failureDomainSchema = z.object({
  name: text(1, 256),
  /** Control plane machines may be placed here. */
  controlPlane: z.boolean().optional(),
  attributes: stringMap.optional(),
});

export const clusterStatusSchema = notEmpty({
  conditions: conditionsSchema.optional(),
  /** Never go back to false, whatever the provider reports. */
  initialization: notEmpty({
    infrastructureProvisioned: z.boolean().optional(),
    controlPlaneInitialized: z.boolean().optional(),
  }).optional(),
  controlPlane: replicasSchema.optional(),
  workers: replicasSchema.optional(),
  failureDomains: mapList(failureDomainSchema, ["name"], { min: 1, max: 100 }).optional(),
  phase: z.enum(["Pending", "Provisioning", "Provisioned", "Deleting", "Failed", "Unknown"]).optional(),
  observedGeneration: z.int().min(1).optional(),
  deprecated: z.object({ v1beta1: z.object(deprecatedStatusFields).optional() }).optional(),
});

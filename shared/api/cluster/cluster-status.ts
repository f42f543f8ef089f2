import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "../conditions.ts";
import { atomicList, mapList, notEmpty, stringMap, text } from "../meta.ts";

const count = () => z.int32().optional();
const version = () => text(1, 256);
const limits = { min: 1, max: 32 };

/** Describes replica counts and versions of the control plane, or of all workers together. */
const replicasSchema = () =>
  z.object({
    desiredReplicas: count().describe("Replicas wanted."),
    replicas: count().describe("Replicas that exist."),
    readyReplicas: count().describe("Replicas that are ready."),
    availableReplicas: count().describe("Replicas that are available: ready for long enough."),
    upToDateReplicas: count().describe("Replicas that match their template."),
    versions: atomicList(
      z.object({
        version: version().describe("Kubernetes version."),
        replicas: z.int32().min(1).optional().describe("Replicas that run it."),
      }),
      limits,
    )
      .optional()
      .describe("Kubernetes versions that the replicas run, 1 to 32."),
    upgradePlan: atomicList(z.object({ version: version().describe("Kubernetes version.") }), limits)
      .optional()
      .describe(
        "Kubernetes versions still to go through, in order. Only with a topology, which Capstan does not run.",
      ),
  });

const failureDomainSchema = () =>
  z.object({
    name: text(1, 256).describe("Name of the failure domain at the provider."),
    controlPlane: z.boolean().optional().describe("Whether control plane machines may be placed here."),
    attributes: stringMap().optional().describe("Further attributes from the provider."),
  });

export const clusterStatusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    /** Latches that never go back to false, even if the provider reports it. */
    initialization: notEmpty({
      infrastructureProvisioned: z
        .boolean()
        .optional()
        .describe("The infrastructure has been ready once. Never goes back to false."),
      controlPlaneInitialized: z
        .boolean()
        .optional()
        .describe("The control plane has answered once. Never goes back to false."),
    })
      .optional()
      .describe("First steps of the Cluster that are done; they stay done."),
    controlPlane: replicasSchema().optional().describe("Replicas of the control plane."),
    workers: replicasSchema().optional().describe("Replicas of all worker pools together."),
    failureDomains: mapList(failureDomainSchema(), ["name"], { min: 1, max: 100 })
      .optional()
      .describe("Failure domains that the infrastructure offers, 1 to 100."),
    phase: z
      .enum(["Pending", "Provisioning", "Provisioned", "Deleting", "Failed", "Unknown"])
      .optional()
      .describe("Stage of the Cluster in one word, for people. Programs read the conditions."),
    observedGeneration: z
      .int()
      .min(1)
      .optional()
      .describe("Generation of the spec that this status is about."),
    deprecated: deprecatedSchema(deprecatedStatusFields()),
  });

import * as z from "zod";
import { conditionsSchema, deprecatedStatusFields } from "./conditions.ts";
import { atomicList, dnsSubdomain, notEmpty, text, time } from "./meta.ts";

const addressSchema = z.object({
  type: z.enum(["Hostname", "ExternalIP", "InternalIP", "ExternalDNS", "InternalDNS"]),
  address: text(1, 256),
});

/** As the kubelet reports it. */
const nodeInfoSchema = z.object({
  architecture: z.string(),
  bootID: z.string(),
  containerRuntimeVersion: z.string(),
  kernelVersion: z.string(),
  kubeProxyVersion: z.string(),
  kubeletVersion: z.string(),
  machineID: z.string(),
  operatingSystem: z.string(),
  osImage: z.string(),
  systemUUID: z.string(),
  /** Bytes. */
  swap: z.object({ capacity: z.int().optional() }).optional(),
});

export const machineStatusSchema = notEmpty({
  conditions: conditionsSchema.optional(),
  /** Never go back to false, whatever the provider reports. */
  initialization: notEmpty({
    infrastructureProvisioned: z.boolean().optional(),
    bootstrapDataSecretCreated: z.boolean().optional(),
  }).optional(),
  nodeRef: z.object({ name: dnsSubdomain }).optional(),
  nodeInfo: nodeInfoSchema.optional(),
  /** Moves only with the phase. */
  lastUpdated: time.optional(),
  failureDomain: text(1, 256).optional(),
  addresses: atomicList(addressSchema, { max: 256 }).optional(),
  phase: z
    .enum([
      "Pending",
      "Provisioning",
      "Provisioned",
      "Running",
      "Updating",
      "Deleting",
      "Deleted",
      "Failed",
      "Unknown",
    ])
    .optional(),
  certificatesExpiryDate: time.optional(),
  observedGeneration: z.int().min(1).optional(),
  /** When each stage of the deletion began. */
  deletion: z
    .object({
      nodeDrainStartTime: time.optional(),
      waitForNodeVolumeDetachStartTime: time.optional(),
      waitForPreDrainHookStartTime: time.optional(),
      waitForPreTerminateHookStartTime: time.optional(),
    })
    .optional(),
  deprecated: z.object({ v1beta1: z.object(deprecatedStatusFields).optional() }).optional(),
});

import * as z from "zod";
import { conditionsSchema, deprecatedSchema, deprecatedStatusFields } from "../conditions.ts";
import { atomicList, dnsSubdomain, type Immutable, notEmpty, text, time } from "../meta.ts";

const addressSchema = () =>
  z.object({
    type: z
      .enum(["Hostname", "ExternalIP", "InternalIP", "ExternalDNS", "InternalDNS"])
      .describe("Type of the address: host name or IP, internal or external."),
    address: text(1, 256).describe("The address or name."),
  });

export const addressesSchema = () => atomicList(addressSchema(), { max: 256 });
export type MachineAddress = Immutable<z.infer<ReturnType<typeof addressSchema>>>;

/** Describes a Node's facts as the kubelet reports them. */
const nodeInfoSchema = () =>
  z.object({
    architecture: z.string().describe("Processor architecture, such as arm64."),
    bootID: z.string().describe("Identity of the current boot."),
    containerRuntimeVersion: z
      .string()
      .describe("Container runtime and its version, such as containerd://2.1.0."),
    kernelVersion: z.string().describe("Version of the kernel."),
    kubeProxyVersion: z.string().describe("Version of kube-proxy; empty where kubelets no longer report it."),
    kubeletVersion: z.string().describe("Version of the kubelet."),
    machineID: z.string().describe("Identity of the operating system's installation."),
    operatingSystem: z.string().describe("Operating system, such as linux."),
    osImage: z.string().describe("Name and version of the operating system, for people."),
    systemUUID: z.string().describe("Identity of the hardware or virtual machine."),
    swap: z
      .object({ capacity: z.int().optional().describe("Size in bytes.") })
      .optional()
      .describe("Swap space of the machine."),
  });

/** Describes latches that never go back to false, even if the provider reports it. */
export const initializationSchema = () =>
  notEmpty({
    infrastructureProvisioned: z
      .boolean()
      .optional()
      .describe("The infrastructure has been ready once. Never goes back to false."),
    bootstrapDataSecretCreated: z
      .boolean()
      .optional()
      .describe("The bootstrap data has been there once. Never goes back to false."),
  })
    .optional()
    .describe("First steps that are done; they stay done.");

export const machineStatusSchema = () =>
  notEmpty({
    conditions: conditionsSchema().optional(),
    initialization: initializationSchema(),
    nodeRef: z
      .object({ name: dnsSubdomain().describe("Name of the Node.") })
      .optional()
      .describe("The Node that the machine has become."),
    nodeInfo: nodeInfoSchema().optional().describe("The machine as its kubelet reports it."),
    lastUpdated: time.optional().describe("When the phase changed last."),
    failureDomain: text(1, 256).optional().describe("Failure domain where the machine runs."),
    addresses: addressesSchema().optional().describe("Addresses of the machine, at most 256."),
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
      .optional()
      .describe("Stage of the Machine in one word, for people. Programs read the conditions."),
    certificatesExpiryDate: time
      .optional()
      .describe("When the certificates of a control plane machine expire."),
    observedGeneration: z
      .int()
      .min(1)
      .optional()
      .describe("Generation of the spec that this status is about."),
    deletion: z
      .object({
        nodeDrainStartTime: time.optional().describe("When draining the Node began."),
        waitForNodeVolumeDetachStartTime: time
          .optional()
          .describe("When waiting for volumes to be detached began."),
        waitForPreDrainHookStartTime: time
          .optional()
          .describe("When waiting for hooks before draining began."),
        waitForPreTerminateHookStartTime: time
          .optional()
          .describe("When waiting for hooks before the end of the machine began."),
      })
      .optional()
      .describe("When each stage of the deletion began."),
    deprecated: deprecatedSchema(deprecatedStatusFields()),
  });

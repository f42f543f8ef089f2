import * as z from "zod";
import { conditionsSchema } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import {
  atomicList,
  type Immutable,
  objectMetaSchema,
  seconds,
  templateMetadataSchema,
  typeMeta,
} from "./meta.ts";
import { AGE, count, flag, providerCrd, version } from "./sim-provider.ts";

/** Without the limits that a provider should set: a fault may list what no MachinePool can take. */
const providerIDs = atomicList(z.string(), { max: 20_000 }).optional();

/** What the provider reports in place of the truth, each part for itself. The instances go on as they are. */
const faultsSchema = z.object({
  failureReason: z.string().optional(),
  failureMessage: z.string().optional(),
  /** From the creation of the pool until it reports that it is not ready any more. */
  notReadyAfterSeconds: seconds.optional(),
  /** Instead of the IDs of the instances that run: an emptied, shrunk, foreign or malformed list. */
  providerIDList: providerIDs,
  /** Instead of their number. */
  replicas: count,
});

const specSchema = z
  .object({
    /** Written by the provider: one ID per running instance. */
    providerIDList: providerIDs,
    /** From creation of an instance until it runs. */
    bootDelaySeconds: seconds.default(1),
    /** From running until its Node is Ready. */
    nodeReadyDelaySeconds: seconds.default(1),
    template: z.object({ kubeletVersion: version.optional() }).optional(),
    /** One SimMachine per instance, so that the MachinePool has Machines. */
    machines: flag,
    /** Chosen by the cloud's own autoscaler; counts while the MachinePool is annotated `replicas-managed-by`. */
    replicas: count,
    faults: faultsSchema.optional(),
  })
  .prefault({});

const simMachinePoolSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: specSchema,
  status: z
    .object({
      /** Decides under both contracts. */
      ready: flag,
      replicas: count,
      initialization: z.object({ provisioned: flag }).optional(),
      failureReason: z.string().optional(),
      failureMessage: z.string().optional(),
      /** `SimMachine`, or absent. */
      infrastructureMachineKind: z.string().optional(),
      conditions: conditionsSchema.optional(),
    })
    .optional(),
});

/** A pool of simulated instances; the number wanted is its MachinePool's `spec.replicas`. */
export type SimMachinePool = Immutable<z.infer<typeof simMachinePoolSchema>>;
export const SimMachinePool: Kind<SimMachinePool> = {
  group: "infrastructure.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimMachinePool",
  plural: "simmachinepools",
  namespaced: true,
  schema: simMachinePoolSchema,
  crd: providerCrd([
    { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
    { name: "Replicas", type: "integer", jsonPath: ".status.replicas" },
    { name: "Machines", type: "string", jsonPath: ".status.infrastructureMachineKind", priority: 1 },
    { name: "Failure", type: "string", jsonPath: ".status.failureReason", priority: 1 },
  ]),
};

const simMachinePoolTemplateSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z.object({
    template: z.object({ metadata: templateMetadataSchema.optional(), spec: specSchema }),
  }),
});

/** What a ClusterClass makes SimMachinePools from. */
export type SimMachinePoolTemplate = Immutable<z.infer<typeof simMachinePoolTemplateSchema>>;
export const SimMachinePoolTemplate: Kind<SimMachinePoolTemplate> = {
  group: "infrastructure.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimMachinePoolTemplate",
  plural: "simmachinepooltemplates",
  namespaced: true,
  schema: simMachinePoolTemplateSchema,
  crd: { ...providerCrd([]), status: false, printerColumns: [AGE] },
};

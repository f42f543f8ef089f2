import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import { addressesSchema } from "../../../shared/api/machine/machine-status.ts";
import { type Immutable, objectMetaSchema, seconds, text, typeMeta } from "../../../shared/api/meta.ts";
import { flag, providerCrd, providerStatus, type TemplateOf, templateOf } from "./sim-provider.ts";

const specSchema = () =>
  z
    .object({
      providerID: text(1, 512).optional().describe("Identity of the instance. Written by the provider."),
      bootDelaySeconds: seconds()
        .optional()
        .describe("Seconds from the creation of the instance until it is provisioned. Default 1."),
      apiServerDelaySeconds: seconds()
        .optional()
        .describe("Control plane only: seconds from provisioned until its API server answers. Default 1."),
      nodeDelaySeconds: seconds()
        .optional()
        .describe("Seconds from provisioned until the Node is registered. Default 1."),
      nodeReadyDelaySeconds: seconds()
        .optional()
        .describe("Seconds from registered until the Node is Ready. Default 1."),
      interruptible: flag().describe("Whether the cloud may end the instance at any time. Default false."),
    })
    .prefault({})
    .describe("Desired state. Instances of a SimMachinePool have the durations of the pool.");

const simMachineSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: providerStatus(
        { provisioned: flag().describe("It has been ready once.") },
        {
          addresses: addressesSchema().optional().describe("Addresses of the instance."),
          failureDomain: text(1, 256).optional().describe("Failure domain where the instance runs."),
          interruptible: flag().describe("Whether the cloud may end the instance at any time."),
        },
      ),
    })
    .describe("A simulated instance as a Machine sees it.");

/** The simulated instance of the same name as a Machine sees it. */
export type SimMachine = Immutable<z.infer<ReturnType<typeof simMachineSchema>>>;
export const SimMachine: Kind<SimMachine> = {
  group: "infrastructure.sim.capstan.dev",
  provider: "infrastructure-sim",
  version: "v1beta2",
  kind: "SimMachine",
  plural: "simmachines",
  namespaced: true,
  schema: simMachineSchema,
  crd: providerCrd([
    { name: "Provisioned", type: "boolean", jsonPath: ".status.initialization.provisioned" },
    { name: "Provider ID", type: "string", jsonPath: ".spec.providerID" },
    { name: "Failure domain", type: "string", jsonPath: ".status.failureDomain", priority: 1 },
  ]),
};

/** Template from which MachineSets and control planes make SimMachines. */
export type SimMachineTemplate = TemplateOf<typeof specSchema>;
export const SimMachineTemplate: Kind<SimMachineTemplate> = templateOf(SimMachine, specSchema);

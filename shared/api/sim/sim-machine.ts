import * as z from "zod";
import type { Kind } from "../kinds.ts";
import { type Immutable, objectMetaSchema, text, typeMeta } from "../meta.ts";
import { flag, providerCrd, providerStatus } from "./sim-provider.ts";

const simMachineSchema = z
  .object({
    ...typeMeta,
    metadata: objectMetaSchema,
    spec: z
      .object({ providerID: text(1, 512).optional().describe("Identity of the instance.") })
      .prefault({})
      .describe("Written by the provider."),
    status: providerStatus({ provisioned: flag.describe("It has been ready once.") }, {}),
  })
  .describe("A simulated instance as a Machine sees it.");

/** The simulated instance of the same name as a Machine sees it. */
export type SimMachine = Immutable<z.infer<typeof simMachineSchema>>;
export const SimMachine: Kind<SimMachine> = {
  group: "infrastructure.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimMachine",
  plural: "simmachines",
  namespaced: true,
  schema: simMachineSchema,
  crd: providerCrd([
    { name: "Provisioned", type: "boolean", jsonPath: ".status.initialization.provisioned" },
    { name: "Provider ID", type: "string", jsonPath: ".spec.providerID" },
  ]),
};

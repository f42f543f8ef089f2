import * as z from "zod";
import type { Kind } from "../kinds.ts";
import { type Immutable, objectMetaSchema, text, typeMeta } from "../meta.ts";
import { flag, providerCrd, providerStatus } from "./sim-provider.ts";

const simBootstrapConfigSchema = z
  .object({
    ...typeMeta,
    metadata: objectMetaSchema,
    spec: z.object({}).prefault({}).describe("There is nothing to choose."),
    status: providerStatus(
      { dataSecretCreated: flag.describe("The Secret has been written once.") },
      { dataSecretName: text(1, 253).optional().describe("Name of the Secret with the bootstrap data.") },
    ),
  })
  .describe("Bootstrap data of simulated instances.");

/** Bootstrap data of simulated instances: a Secret with a line of text. */
export type SimBootstrapConfig = Immutable<z.infer<typeof simBootstrapConfigSchema>>;
export const SimBootstrapConfig: Kind<SimBootstrapConfig> = {
  group: "bootstrap.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimBootstrapConfig",
  plural: "simbootstrapconfigs",
  namespaced: true,
  schema: simBootstrapConfigSchema,
  crd: providerCrd([
    { name: "Created", type: "boolean", jsonPath: ".status.initialization.dataSecretCreated" },
    { name: "Secret", type: "string", jsonPath: ".status.dataSecretName" },
  ]),
};

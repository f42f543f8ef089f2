import * as z from "zod";
import { conditionsSchema } from "./conditions.ts";
import type { Kind } from "./kinds.ts";
import { type Immutable, objectMetaSchema, text, typeMeta } from "./meta.ts";
import { flag, providerCrd } from "./sim-provider.ts";

const simBootstrapConfigSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z.object({}).prefault({}),
  status: z
    .object({
      dataSecretName: text(1, 253).optional(),
      initialization: z.object({ dataSecretCreated: flag }).optional(),
      /** The same for the contract v1beta1. */
      ready: flag,
      conditions: conditionsSchema.optional(),
    })
    .optional(),
});

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

import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import { type Immutable, objectMetaSchema, text, typeMeta } from "../../../shared/api/meta.ts";
import { flag, providerCrd, providerStatus, type TemplateOf, templateOf } from "./sim-provider.ts";

const specSchema = () => z.object({}).prefault({}).describe("Empty: nothing can be chosen.");

const simBootstrapConfigSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: providerStatus(
        { dataSecretCreated: flag().describe("The Secret has been written once.") },
        { dataSecretName: text(1, 253).optional().describe("Name of the Secret with the bootstrap data.") },
      ),
    })
    .describe("Bootstrap data of simulated instances.");

/** Bootstrap data of simulated instances: a Secret with a line of text. Of a MachinePool or of one Machine. */
export type SimBootstrapConfig = Immutable<z.infer<ReturnType<typeof simBootstrapConfigSchema>>>;
export const SimBootstrapConfig: Kind<SimBootstrapConfig> = {
  group: "bootstrap.sim.capstan.dev",
  provider: "bootstrap-sim",
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

/** Template from which MachineSets and control planes make SimBootstrapConfigs. */
export type SimBootstrapConfigTemplate = TemplateOf<typeof specSchema>;
export const SimBootstrapConfigTemplate: Kind<SimBootstrapConfigTemplate> = templateOf(
  SimBootstrapConfig,
  specSchema,
);

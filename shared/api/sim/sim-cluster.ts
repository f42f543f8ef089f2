import * as z from "zod";
import type { Kind } from "../kinds.ts";
import { type Immutable, objectMetaSchema, typeMeta } from "../meta.ts";
import { endpoint, flag, providerCrd, providerStatus } from "./sim-provider.ts";

const simClusterSchema = z
  .object({
    ...typeMeta,
    metadata: objectMetaSchema,
    spec: z.object({ controlPlaneEndpoint: endpoint }).prefault({}).describe("Written by the provider."),
    status: providerStatus({ provisioned: flag.describe("It has been ready once.") }, {}),
  })
  .describe("Infrastructure of a simulated Cluster: its virtual workload API server.");

/** Infrastructure of a simulated Cluster: its virtual workload API server. */
export type SimCluster = Immutable<z.infer<typeof simClusterSchema>>;
export const SimCluster: Kind<SimCluster> = {
  group: "infrastructure.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimCluster",
  plural: "simclusters",
  namespaced: true,
  schema: simClusterSchema,
  crd: providerCrd([
    { name: "Provisioned", type: "boolean", jsonPath: ".status.initialization.provisioned" },
    { name: "Host", type: "string", jsonPath: ".spec.controlPlaneEndpoint.host" },
    { name: "Port", type: "integer", jsonPath: ".spec.controlPlaneEndpoint.port" },
  ]),
};

import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import {
  type Immutable,
  mapList,
  objectMetaSchema,
  stringMap,
  text,
  typeMeta,
} from "../../../shared/api/meta.ts";
import { endpoint, flag, providerCrd, providerStatus, type TemplateOf, templateOf } from "./sim-provider.ts";

const failureDomainSchema = () =>
  z.object({
    name: text(1, 256).describe("Name of the failure domain."),
    controlPlane: flag().describe("Whether control plane machines may run there. Default false."),
    attributes: stringMap().optional().describe("Whatever the provider says about it."),
  });

const specSchema = () =>
  z
    .object({
      controlPlaneEndpoint: endpoint(),
      endpointMode: z
        .enum(["provider", "external"])
        .optional()
        .describe(
          "With provider, this object orders the workload API server and publishes its address; with external, it waits until the Cluster has one from the user or from a control plane without Machines. Default provider.",
        ),
      failureDomains: mapList(failureDomainSchema(), ["name"], { max: 100 })
        .optional()
        .describe("Failure domains to report, at most 100."),
    })
    .prefault({})
    .describe("Desired state.");

const simClusterSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: providerStatus(
        { provisioned: flag().describe("It has been ready once.") },
        {
          failureDomains: mapList(failureDomainSchema(), ["name"], { min: 1, max: 100 })
            .optional()
            .describe("Failure domains of the Cluster, 1 to 100."),
        },
      ),
    })
    .describe("Infrastructure of a simulated Cluster: its virtual workload API server.");

/** Infrastructure of a simulated Cluster: its virtual workload API server. */
export type SimCluster = Immutable<z.infer<ReturnType<typeof simClusterSchema>>>;
export const SimCluster: Kind<SimCluster> = {
  group: "infrastructure.sim.capstan.dev",
  provider: "infrastructure-sim",
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

/** Template from which a ClusterClass creates SimClusters. */
export type SimClusterTemplate = TemplateOf<typeof specSchema>;
export const SimClusterTemplate: Kind<SimClusterTemplate> = templateOf(SimCluster, specSchema);

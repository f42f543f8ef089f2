import * as z from "zod";
import { port } from "./cluster.ts";
import type { Kind } from "./kinds.ts";
import { type Immutable, objectMetaSchema, seconds, text, typeMeta } from "./meta.ts";
import { AGE, clusterName } from "./sim-provider.ts";

const simServerSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z.object({ clusterName }),
  status: z
    .object({
      host: text(1, 512).optional(),
      port: port.optional(),
      ready: z.boolean().optional(),
      kubeconfigSecretName: text(1, 253).optional(),
    })
    .optional(),
});
/** The simulated cloud's virtual workload API server of one Cluster. */
export type SimServer = Immutable<z.infer<typeof simServerSchema>>;
export const SimServer: Kind<SimServer> = {
  group: "cloud.sim.capstan.dev",
  version: "v1beta1",
  kind: "SimServer",
  plural: "simservers",
  namespaced: true,
  schema: simServerSchema,
  clusterNamePath: "spec.clusterName",
  crd: {
    status: true,
    printerColumns: [
      { name: "Cluster", type: "string", jsonPath: ".spec.clusterName" },
      { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
      { name: "Host", type: "string", jsonPath: ".status.host" },
      { name: "Port", type: "integer", jsonPath: ".status.port" },
      AGE,
    ],
  },
};

const simInstanceSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z.object({
    clusterName,
    /** Name of the SimMachinePool. */
    poolName: text(1, 253).optional(),
    providerID: text(1, 512).optional(),
    bootDelaySeconds: seconds.default(1),
    nodeReadyDelaySeconds: seconds.default(1),
    kubeletVersion: text(1, 256).optional(),
  }),
  status: z
    .object({
      phase: z.enum(["Pending", "Running", "Terminated"]).optional(),
      nodeName: text(1, 253).optional(),
    })
    .optional(),
});
/** One machine of the simulated cloud. Running: its Node exists in the workload cluster. */
export type SimInstance = Immutable<z.infer<typeof simInstanceSchema>>;
export const SimInstance: Kind<SimInstance> = {
  group: "cloud.sim.capstan.dev",
  version: "v1beta1",
  kind: "SimInstance",
  plural: "siminstances",
  namespaced: true,
  schema: simInstanceSchema,
  clusterNamePath: "spec.clusterName",
  crd: {
    status: true,
    printerColumns: [
      { name: "Cluster", type: "string", jsonPath: ".spec.clusterName" },
      { name: "Pool", type: "string", jsonPath: ".spec.poolName" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Node", type: "string", jsonPath: ".status.nodeName" },
      { name: "Provider ID", type: "string", jsonPath: ".spec.providerID", priority: 1 },
      AGE,
    ],
  },
};

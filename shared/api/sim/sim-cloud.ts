import * as z from "zod";
import { port } from "../cluster/cluster.ts";
import type { Kind } from "../kinds.ts";
import { type Immutable, objectMetaSchema, seconds, text, typeMeta } from "../meta.ts";
import { AGE, clusterName } from "./sim-provider.ts";

const simServerSchema = z
  .object({
    ...typeMeta,
    metadata: objectMetaSchema,
    spec: z.object({ clusterName }).describe("Desired state."),
    status: z
      .object({
        host: text(1, 512).optional().describe("Address where it listens."),
        port: port.optional().describe("TCP port where it listens."),
        ready: z.boolean().optional().describe("Whether it answers."),
        kubeconfigSecretName: text(1, 253)
          .optional()
          .describe("Name of the Secret with a kubeconfig for it."),
      })
      .optional()
      .describe("State in the cloud."),
  })
  .describe("A virtual workload API server of the simulated cloud, for one Cluster.");
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

const simInstanceSchema = z
  .object({
    ...typeMeta,
    metadata: objectMetaSchema,
    spec: z
      .object({
        clusterName,
        poolName: text(1, 253).optional().describe("Name of its SimMachinePool."),
        providerID: text(1, 512).optional().describe("Identity of the instance, which its Node repeats."),
        bootDelaySeconds: seconds.default(1).describe("Seconds from its creation until it runs. Default 1."),
        nodeReadyDelaySeconds: seconds
          .default(1)
          .describe("Seconds from running until its Node is Ready. Default 1."),
        kubeletVersion: text(1, 256).optional().describe("Version that its kubelet reports."),
      })
      .describe("Desired state."),
    status: z
      .object({
        phase: z
          .enum(["Pending", "Running", "Terminated"])
          .optional()
          .describe("Running: its Node is in the workload cluster."),
        nodeName: text(1, 253).optional().describe("Name of its Node."),
      })
      .optional()
      .describe("State in the cloud."),
  })
  .describe("A machine of the simulated cloud.");
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

import * as z from "zod";
import { port } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { addressesSchema } from "../../../shared/api/machine/machine-status.ts";
import {
  type Immutable,
  mapList,
  objectMetaSchema,
  seconds,
  text,
  typeMeta,
} from "../../../shared/api/meta.ts";
import { AGE, clusterName, count, flag } from "./sim-provider.ts";

/** The finalizer on SimServers and SimInstances until the cloud has switched off what they stand for. */
export const CLOUD_FINALIZER = "cloud.sim.capstan.dev/switched-off";

const simServerSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          clusterName: clusterName(),
          serverID: text(1, 512)
            .optional()
            .describe(
              "Identity of the server: an object with the same one is the same server, in whatever management cluster. Default sim:// with namespace and name.",
            ),
          port: port().optional().describe("TCP port to listen on, if it is free."),
          onMachines: flag().describe(
            "The API server answers while that of a control plane instance runs. Default false: as soon as it has an address.",
          ),
          unreachable: flag().describe("Fault for tests: every connection breaks. Default false."),
          corruptKubeconfig: flag().describe(
            "Fault for tests: the kubeconfig is spoilt once. Default false.",
          ),
        })
        .describe("Desired state."),
      status: z
        .object({
          host: text(1, 512).optional().describe("Address where it listens."),
          port: port().optional().describe("TCP port where it listens."),
          ready: z.boolean().optional().describe("Whether it answers."),
        })
        .optional()
        .describe("State in the cloud."),
    })
    .describe("A virtual workload API server of the simulated cloud, for one Cluster.");
/** The simulated cloud's virtual workload API server of one Cluster. */
export type SimServer = Immutable<z.infer<ReturnType<typeof simServerSchema>>>;
export const SimServer: Kind<SimServer> = {
  group: "cloud.sim.capstan.dev",
  provider: "infrastructure-sim",
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

/** Failures that a person asks for. They last until they are taken away, or until the instance is rebooted. */
const instanceFaultsSchema = () =>
  z.object({
    node: z
      .enum(["NotReady", "Unknown", "Gone"])
      .optional()
      .describe(
        "NotReady: its kubelet says so. Unknown: its kubelet says nothing any longer. Gone: its Node is deleted, and registered again afterwards.",
      ),
    conditions: mapList(
      z.object({
        type: text(1, 316).describe("Type of the condition, such as MemoryPressure."),
        status: z.enum(["True", "False", "Unknown"]).describe("Status that its Node reports."),
      }),
      ["type"],
      { max: 16 },
    )
      .optional()
      .describe("Conditions of its Node, in place of the true ones or beside them."),
  });

const simInstanceSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: z
        .object({
          clusterName: clusterName(),
          poolName: text(1, 253).optional().describe("Name of its SimMachinePool."),
          providerID: text(1, 512)
            .optional()
            .describe(
              "Identity of the instance, which its Node repeats: an object with the same one is the same instance, in whatever management cluster. Default sim:// with namespace and name.",
            ),
          bootDelaySeconds: seconds()
            .default(1)
            .describe("Seconds from its creation until it is provisioned. Default 1."),
          nodeReadyDelaySeconds: seconds()
            .default(1)
            .describe("Seconds from its registration until its Node is Ready. Default 1."),
          nodeDelaySeconds: seconds()
            .optional()
            .describe("Seconds from provisioned until its Node is registered. Default 0."),
          apiServerDelaySeconds: seconds()
            .optional()
            .describe("Control plane only: seconds from provisioned until its API server runs. Default 0."),
          controlPlane: flag().describe("It runs an API server of its Cluster. Default false."),
          failureDomain: text(1, 256).optional().describe("Failure domain where it runs."),
          kubeletVersion: text(1, 256).optional().describe("Version that its kubelet reports."),
          faults: instanceFaultsSchema().optional().describe("Failures for tests and trials. Default none."),
          reboots: count().describe(
            "How often it was rebooted. Each time its kubelet registers the Node again.",
          ),
        })
        .describe("Desired state."),
      status: z
        .object({
          phase: z
            .enum(["Pending", "Provisioned", "Running", "Terminated"])
            .optional()
            .describe("Provisioned: it has addresses. Running: its Node is in the workload cluster, too."),
          addresses: addressesSchema().optional().describe("Addresses of it."),
          nodeName: text(1, 253).optional().describe("Name of its Node."),
        })
        .optional()
        .describe("State in the cloud."),
    })
    .describe("A machine of the simulated cloud.");
/** One machine of the simulated cloud. Running: its Node exists in the workload cluster. */
export type SimInstance = Immutable<z.infer<ReturnType<typeof simInstanceSchema>>>;
export const SimInstance: Kind<SimInstance> = {
  group: "cloud.sim.capstan.dev",
  provider: "infrastructure-sim",
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

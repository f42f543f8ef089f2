import * as z from "zod";
import { port } from "./cluster.ts";
import { conditionsSchema } from "./conditions.ts";
import type { CrdSpec, Kind, PrinterColumn } from "./kinds.ts";
import { atomicList, type Immutable, mapList, objectMetaSchema, seconds, text, typeMeta } from "./meta.ts";

const bool = z.boolean().optional();
const count = z.int32().min(0).optional();
const version = text(1, 256);

const endpointSchema = z.object({ host: text(1, 512).optional(), port: port.optional() });

const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** CRD of a provider kind: the label is how Cluster API finds the version to read it in. */
function providerCrd(printerColumns: readonly PrinterColumn[], scale?: CrdSpec["scale"]): CrdSpec {
  return {
    categories: ["cluster-api"],
    labels: { "cluster.x-k8s.io/v1beta2": "v1beta2" },
    status: true,
    printerColumns: [...printerColumns, AGE],
    ...(scale === undefined ? {} : { scale }),
  };
}

const simClusterSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z.object({ controlPlaneEndpoint: endpointSchema.optional() }).prefault({}),
  status: z
    .object({
      initialization: z.object({ provisioned: bool }).optional(),
      conditions: conditionsSchema.optional(),
    })
    .optional(),
});
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

const simMachinePoolSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z
    .object({
      /** Written by the provider: one ID per running instance. */
      providerIDList: atomicList(text(1, 512), { max: 10_000 }).optional(),
      /** From creation of an instance until it runs. */
      bootDelaySeconds: seconds.default(1),
      /** From running until its Node is Ready. */
      nodeReadyDelaySeconds: seconds.default(1),
      template: z.object({ kubeletVersion: version.optional() }).optional(),
    })
    .prefault({}),
  status: z
    .object({
      ready: bool,
      replicas: count,
      initialization: z.object({ provisioned: bool }).optional(),
      failureReason: z.string().optional(),
      failureMessage: z.string().optional(),
      infrastructureMachineKind: z.string().optional(),
      conditions: conditionsSchema.optional(),
    })
    .optional(),
});
/** A pool of simulated instances; the number wanted is its MachinePool's `spec.replicas`. */
export type SimMachinePool = Immutable<z.infer<typeof simMachinePoolSchema>>;
export const SimMachinePool: Kind<SimMachinePool> = {
  group: "infrastructure.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimMachinePool",
  plural: "simmachinepools",
  namespaced: true,
  schema: simMachinePoolSchema,
  crd: providerCrd([
    { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
    { name: "Replicas", type: "integer", jsonPath: ".status.replicas" },
    { name: "Failure", type: "string", jsonPath: ".status.failureReason", priority: 1 },
  ]),
};

const simControlPlaneSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z
    .object({
      controlPlaneEndpoint: endpointSchema.optional(),
      version: version.optional(),
      replicas: z.int32().min(0).default(1),
    })
    .prefault({}),
  status: z
    .object({
      initialization: z.object({ controlPlaneInitialized: bool }).optional(),
      /** Label selector of its Machines as text, for the scale subresource; the simulated ones have none. */
      selector: z.string().optional(),
      replicas: count,
      readyReplicas: count,
      availableReplicas: count,
      upToDateReplicas: count,
      versions: mapList(z.object({ version, replicas: z.int32().min(1).optional() }), ["version"], {
        max: 100,
      }).optional(),
      /** The lowest of `versions`. */
      version: version.optional(),
      /** Always true: there are no Nodes for the instances of the simulated control plane. */
      externalManagedControlPlane: bool,
      conditions: conditionsSchema.optional(),
    })
    .optional(),
});
/** Control plane of a simulated Cluster: it is up when the virtual workload API server answers. */
export type SimControlPlane = Immutable<z.infer<typeof simControlPlaneSchema>>;
export const SimControlPlane: Kind<SimControlPlane> = {
  group: "controlplane.sim.capstan.dev",
  version: "v1beta2",
  kind: "SimControlPlane",
  plural: "simcontrolplanes",
  namespaced: true,
  schema: simControlPlaneSchema,
  crd: providerCrd(
    [
      { name: "Initialized", type: "boolean", jsonPath: ".status.initialization.controlPlaneInitialized" },
      { name: "Desired", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Available", type: "integer", jsonPath: ".status.availableReplicas" },
      { name: "Version", type: "string", jsonPath: ".status.version" },
    ],
    {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  ),
};

const simBootstrapConfigSchema = z.object({
  ...typeMeta,
  metadata: objectMetaSchema,
  spec: z.object({}).prefault({}),
  status: z
    .object({
      dataSecretName: text(1, 253).optional(),
      initialization: z.object({ dataSecretCreated: bool }).optional(),
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
const clusterName = text(1, 63);

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

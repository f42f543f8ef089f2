import * as z from "zod";
import type { Kind, PrinterColumn } from "../kinds.ts";
import { conditionGatesSchema } from "../machine/machine-template.ts";
import {
  atomicList,
  contractReferenceSchema,
  type Immutable,
  notEmpty,
  objectMetaSchema,
  text,
  typeMeta,
  validations,
} from "../meta.ts";
import { AGE, conditionColumn, PAUSED } from "../printer-columns.ts";
import { clusterStatusSchema } from "./cluster-status.ts";
import { topologySchema } from "./cluster-topology.ts";

export const port = () => z.int32().min(1).max(65_535);
const networkRangesSchema = () =>
  z.object({
    // Differs: an IPv4 block in the notation of IPv6, such as ::ffff:10.0.0.0/104, is refused; upstream takes it.
    cidrBlocks: atomicList(text(1, 43), { min: 1, max: 100 })
      .meta(
        validations({
          rule: "self.all(block, isCIDR(block))",
          message: "each must be an address block in CIDR notation such as 10.96.0.0/12",
        }),
      )
      .describe("Address blocks in CIDR notation such as 10.96.0.0/12, 1 to 100."),
  });

const specSchema = () =>
  notEmpty({
    paused: z
      .boolean()
      .optional()
      .describe("While true, nothing of this Cluster is reconciled. Default false."),
    clusterNetwork: notEmpty({
      apiServerPort: port()
        .optional()
        .describe("Port of the workload API server, for providers that let one choose."),
      services: networkRangesSchema().optional().describe("Addresses of Services."),
      pods: networkRangesSchema().optional().describe("Addresses of Pods."),
      serviceDomain: text(1, 253).optional().describe("DNS domain of Services."),
    })
      .optional()
      .describe("Network of the workload cluster. Capstan hands it on; providers read it."),
    controlPlaneEndpoint: notEmpty({
      host: text(1, 512).optional().describe("Host name or address."),
      port: port().optional().describe("TCP port, 1 to 65535."),
    })
      .optional()
      .describe(
        "Where the workload API server answers. Copied once from the infrastructure or control plane object when it is not set; it never changes after that.",
      ),
    controlPlaneRef: contractReferenceSchema()
      .optional()
      .describe(
        "The provider object that runs the control plane, such as a KubeadmControlPlane. Can be set later, never removed.",
      ),
    infrastructureRef: contractReferenceSchema()
      .optional()
      .describe(
        "The provider object with what the whole Cluster needs, such as networks. Can be set later, never removed.",
      ),
    topology: topologySchema()
      .optional()
      .describe(
        "A Cluster made from a ClusterClass. Accepted and kept, but Capstan does not run it: Cluster API's topology controller does.",
      ),
    availabilityGates: conditionGatesSchema()
      .optional()
      .describe("Further conditions of this Cluster that count for its condition Available, 1 to 32."),
  })
    .describe(
      "Desired state of the Cluster. One of infrastructureRef, controlPlaneRef and topology must be set.",
    )
    .meta(
      // Rules of Cluster API's webhook, as far as CEL can express them: no admission runs here.
      validations(
        {
          rule: "has(self.infrastructureRef) || has(self.controlPlaneRef) || has(self.topology)",
          message: "infrastructureRef, controlPlaneRef or topology must be set",
        },
        ...["infrastructureRef", "controlPlaneRef", "topology"].map((field) => ({
          rule: `!has(oldSelf.${field}) || has(self.${field})`,
          message: `${field} must not be removed`,
        })),
      ),
    );

const clusterSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: clusterStatusSchema()
        .optional()
        .describe("Observed state of the Cluster. Written by cluster-status alone."),
    })
    .describe("A workload cluster: its infrastructure, its control plane, and the workers that name it.")
    .meta(
      validations({
        rule: "size(self.metadata.name) <= 63",
        message: "the name must be a valid label value: at most 63 characters",
      }),
    );

/** A workload cluster; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type Cluster = Immutable<z.infer<ReturnType<typeof clusterSchema>>>;
export type ClusterStatus = NonNullable<Cluster["status"]>;
export type ClusterPhase = NonNullable<ClusterStatus["phase"]>;

/** Returns columns: desired, current, ready, available, up-to-date replicas; current and ready only in wide output. */
function replicaColumns(prefix: string, path: string, whose: string): readonly PrinterColumn[] {
  return [
    {
      name: `${prefix} Desired`,
      type: "integer",
      jsonPath: `${path}.desiredReplicas`,
      description: `${whose} wanted`,
    },
    {
      name: `${prefix} Current`,
      type: "integer",
      jsonPath: `${path}.replicas`,
      description: `${whose} that exist`,
      priority: 10,
    },
    {
      name: `${prefix} Ready`,
      type: "integer",
      jsonPath: `${path}.readyReplicas`,
      description: `${whose} that are ready`,
      priority: 10,
    },
    {
      name: `${prefix} Available`,
      type: "integer",
      jsonPath: `${path}.availableReplicas`,
      description: `${whose} that are available`,
    },
    {
      name: `${prefix} Up-to-date`,
      type: "integer",
      jsonPath: `${path}.upToDateReplicas`,
      description: `${whose} that match their template`,
    },
  ];
}

export const Cluster: Kind<Cluster> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "Cluster",
  plural: "clusters",
  namespaced: true,
  schema: clusterSchema,
  // A Cluster's keys belong to the Cluster itself.
  clusterNamePath: "metadata.name",
  foundByNamespace: true,
  references: ["spec.infrastructureRef", "spec.controlPlaneRef"],
  crd: {
    shortNames: ["cl"],
    categories: ["cluster-api"],
    status: true,
    printerColumns: [
      {
        name: "ClusterClass",
        type: "string",
        jsonPath: ".spec.topology.classRef.name",
        description: "ClusterClass it is made from",
      },
      conditionColumn("Available", "Available", { description: "Whether the Cluster serves its purpose" }),
      ...replicaColumns("CP", ".status.controlPlane", "Control plane replicas"),
      ...replicaColumns("W", ".status.workers", "Worker replicas"),
      PAUSED,
      {
        name: "Phase",
        type: "string",
        jsonPath: ".status.phase",
        description: "Stage of the Cluster, for people",
      },
      AGE,
      {
        name: "Version",
        type: "string",
        jsonPath: ".spec.topology.version",
        description: "Kubernetes version of the topology",
      },
    ],
  },
};

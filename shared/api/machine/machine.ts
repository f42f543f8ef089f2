import * as z from "zod";
import { CONTROL_PLANE_LABEL, POOL_NAME_LABEL, SET_NAME_LABEL } from "../indexes.ts";
import type { Kind, PrinterColumn } from "../kinds.ts";
import { type Immutable, objectMetaSchema, typeMeta } from "../meta.ts";
import { AGE, CLUSTER, conditionColumn, PAUSED } from "../printer-columns.ts";
import { machineStatusSchema } from "./machine-status.ts";
import { clusterNameSchema, defaultedDeletionSchema, machineSpecSchema } from "./machine-template.ts";

/** A Machine that is made by something that controls it is born with it: nothing of it can get lost. */
export const MACHINE_FINALIZER = "machine.cluster.x-k8s.io";

/**
 * Differs: the Machine of a pool needs bootstrap, too; every core gives it an empty `dataSecretName`. A worker with the
 * taint of control planes is accepted, which depends on labels that no rule of a CustomResourceDefinition sees. Nor does
 * one see annotations: names of preflight checks and sizes of autoscalers that are malformed are accepted, too.
 */
const machineSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: machineSpecSchema()
        .extend({ clusterName: clusterNameSchema(), deletion: defaultedDeletionSchema() })
        .describe("Desired state of the Machine."),
      status: machineStatusSchema().optional().describe("Observed state of the Machine."),
    })
    .describe("One machine of a Cluster and the Node that it becomes.");

/** One machine of a Cluster and its Node; schema-compatible with Cluster API v1.14.0's v1beta2. */
export type Machine = Immutable<z.infer<ReturnType<typeof machineSchema>>>;
export type MachineStatus = NonNullable<Machine["status"]>;

function addressColumn(name: string, type: string): PrinterColumn {
  const jsonPath = `.status.addresses[?(@.type=="${type}")].address`;
  return { name, type: "string", jsonPath, priority: 10, description: `Address of the type ${type}` };
}

export const Machine: Kind<Machine> = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "Machine",
  plural: "machines",
  namespaced: true,
  schema: machineSchema,
  clusterNamePath: "spec.clusterName",
  references: ["spec.bootstrap.configRef", "spec.infrastructureRef"],
  indexes: [
    { name: "providerID", path: "spec.providerID" },
    { name: "nodeRef", path: "status.nodeRef.name" },
    { name: "label", path: "metadata.labels", pairs: "all" },
    // A Cluster asks for its Machines without those of its pools, of which there may be thousands.
    { name: "withoutPool", path: "spec.clusterName", unlessLabel: POOL_NAME_LABEL },
    { name: "controlPlane", path: "spec.clusterName", onlyLabel: CONTROL_PLANE_LABEL },
    { name: "set", path: `metadata.labels[${SET_NAME_LABEL}]` },
    // Machines that a set may adopt.
    { name: "orphan", path: "spec.clusterName", unlessControlled: true },
  ],
  crd: {
    shortNames: ["ma"],
    categories: ["cluster-api"],
    status: true,
    printerColumns: [
      CLUSTER,
      {
        name: "Node Name",
        type: "string",
        jsonPath: ".status.nodeRef.name",
        description: "Node that it has become",
      },
      {
        name: "Provider ID",
        type: "string",
        jsonPath: ".spec.providerID",
        priority: 10,
        description: "Name of the machine at its provider",
      },
      {
        name: "Failure domain",
        type: "string",
        jsonPath: ".status.failureDomain",
        description: "Failure domain where it runs",
      },
      conditionColumn("Ready", "Ready", { description: "Whether it passes all readiness checks" }),
      conditionColumn("Available", "Available", {
        description: "Whether it has been Ready for minReadySeconds",
      }),
      conditionColumn("Up-to-date", "UpToDate", { description: "Whether it matches the spec of its owner" }),
      addressColumn("Internal-IP", "InternalIP"),
      addressColumn("External-IP", "ExternalIP"),
      {
        name: "OS-Image",
        type: "string",
        jsonPath: ".status.nodeInfo.osImage",
        priority: 10,
        description: "OS image that the Node reports",
      },
      PAUSED,
      {
        name: "Phase",
        type: "string",
        jsonPath: ".status.phase",
        description: "Stage of the Machine, for people",
      },
      AGE,
      { name: "Version", type: "string", jsonPath: ".spec.version", description: "Kubernetes version" },
    ],
  },
};

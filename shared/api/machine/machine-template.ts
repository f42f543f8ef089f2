import * as z from "zod";
import {
  CONDITION_TYPE,
  contractReferenceSchema,
  LABEL_VALUE,
  mapList,
  notEmpty,
  seconds,
  TAINT_KEY,
  text,
  validations,
} from "../meta.ts";

const NUMBER = "(0|[1-9][0-9]*)";
const WORD = `(${NUMBER}|[0-9]*[-A-Za-z][-0-9A-Za-z]*)`;
const BUILD = "[-0-9A-Za-z]+";
/** Pattern of https://semver.org, with or without `v`, in the dialect of CEL. */
const SEMANTIC_VERSION = `^v?${NUMBER}[.]${NUMBER}[.]${NUMBER}(-${WORD}([.]${WORD})*)?([+]${BUILD}([.]${BUILD})*)?$`;

/** A version of Kubernetes, three numbers at least. */
export const versionSchema = () =>
  text(1, 256).meta(
    validations({
      rule: `self.matches('${SEMANTIC_VERSION}')`,
      message: "version must be a semantic version such as v1.34.0",
    }),
  );

/** Entry of `status.versions` of what has Machines. */
export const versionCountSchema = () =>
  z.object({
    version: text(1, 256).describe("Kubernetes version."),
    replicas: z.int32().min(1).optional().describe("Nodes that run it."),
  });

const conditionGateSchema = () =>
  z.object({
    conditionType: text(1, 316, CONDITION_TYPE).describe("Type of a condition of the same object."),
    polarity: z
      .enum(["Positive", "Negative"])
      .optional()
      .describe("Positive: the condition must be True. Negative: it must be False. Default Positive."),
  });

/** Further conditions that count for `Ready` (Machines) or `Available` (Clusters). */
export const conditionGatesSchema = () =>
  mapList(conditionGateSchema(), ["conditionType"], { min: 1, max: 32 });

const machineTaintSchema = () =>
  z.object({
    key: text(1, 317, TAINT_KEY).describe("Key of the taint, such as example.com/gpu."),
    value: text(1, 63, LABEL_VALUE).optional().describe("Value of the taint. Default none."),
    effect: z
      .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
      .describe("Effect on Pods that do not tolerate the taint."),
    propagation: z
      .enum(["Always", "OnInitialization"])
      .describe(
        "OnInitialization: set once when the Node appears. Always: set again whenever it is missing.",
      ),
  });
/** Taints that Cluster API, kubelets or cloud providers set themselves. */
const RESERVED_TAINTS = validations(
  {
    rule: "self.all(t, !(t.key in ['node.cluster.x-k8s.io/uninitialized', 'node.cluster.x-k8s.io/outdated-revision', 'node-role.kubernetes.io/master']))",
    message:
      "the keys node.cluster.x-k8s.io/uninitialized, node.cluster.x-k8s.io/outdated-revision and node-role.kubernetes.io/master are reserved",
  },
  {
    rule: "self.all(t, !t.key.startsWith('node.cloudprovider.kubernetes.io/'))",
    message: "taints under node.cloudprovider.kubernetes.io/ are reserved",
  },
  {
    rule: "self.all(t, !t.key.startsWith('node.kubernetes.io/') || t.key == 'node.kubernetes.io/out-of-service')",
    message: "taints under node.kubernetes.io/ are reserved, but for node.kubernetes.io/out-of-service",
  },
);

export const machineTaintsSchema = () =>
  mapList(machineTaintSchema(), ["key", "effect"], { min: 1, max: 64 }).meta(RESERVED_TAINTS);

/** 0 means without limit for each of them. */
export const deletionTimeouts = () => ({
  nodeDrainTimeoutSeconds: seconds()
    .optional()
    .describe(
      "Seconds to spend on draining the Node before it is deleted anyway. 0 or absent: without limit.",
    ),
  nodeVolumeDetachTimeoutSeconds: seconds()
    .optional()
    .describe("Seconds to wait for volumes to be detached. 0 or absent: without limit."),
  nodeDeletionTimeoutSeconds: seconds()
    .optional()
    .describe("Seconds to try to delete the Node. 0: without limit. Default 10."),
});

/** The timeout as admission writes it, so that the guard has nothing to add. */
export const NODE_DELETION_TIMEOUT_SECONDS = 10;

/** `spec.deletion` of Machines that have the default of Cluster API's webhook. */
export const defaultedDeletionSchema = () => {
  const { nodeDeletionTimeoutSeconds, ...others } = deletionTimeouts();
  return notEmpty({
    ...others,
    nodeDeletionTimeoutSeconds: nodeDeletionTimeoutSeconds.meta({ default: NODE_DELETION_TIMEOUT_SECONDS }),
  })
    .meta({ default: { nodeDeletionTimeoutSeconds: NODE_DELETION_TIMEOUT_SECONDS } })
    .optional()
    .describe("How long each stage of a deletion may take.");
};

/** `spec.clusterName` of what belongs to a Cluster for as long as it lives. */
export const clusterNameSchema = () =>
  text(1, 63)
    .meta(validations({ rule: "self == oldSelf", message: "clusterName is immutable" }))
    .describe("Name of the Cluster it belongs to, in the same namespace. Cannot be changed.");

/** The rule of a `spec` with a template of Machines for both names. */
export const ONE_CLUSTER = {
  rule: "self.clusterName == self.template.spec.clusterName",
  message: "clusterName and template.spec.clusterName must be the same",
};

/** `spec` of a Machine, and of the template of everything that makes Machines. */
export const machineSpecSchema = () =>
  z.object({
    clusterName: text(1, 63).describe("Name of the Cluster it belongs to, in the same namespace."),
    bootstrap: z
      .object({
        configRef: contractReferenceSchema()
          .optional()
          .describe("The provider object that makes the bootstrap data, such as a KubeadmConfig."),
        dataSecretName: text(0, 253)
          .optional()
          .describe(
            "Name of the Secret with the bootstrap data. Copied from the object of configRef; a value that you set stays. Empty: no bootstrap data is wanted.",
          ),
      })
      .meta(
        validations({
          rule: "has(self.configRef) || has(self.dataSecretName)",
          message:
            "configRef or dataSecretName must be set; an empty dataSecretName means that no data is wanted",
          reason: "FieldValueRequired",
        }),
      )
      .describe("How a machine becomes a Node. One of configRef and dataSecretName must be set."),
    infrastructureRef: contractReferenceSchema().describe(
      "The provider object that makes the machines, such as an AWSMachinePool.",
    ),
    version: versionSchema()
      .optional()
      .describe("Kubernetes version wanted, such as v1.34.0. Providers read it."),
    providerID: text(1, 512)
      .optional()
      .describe("Identity of the machine at its provider, which its Node repeats."),
    failureDomain: text(1, 256).optional().describe("Failure domain where the machine is to run."),
    minReadySeconds: seconds()
      .optional()
      .describe("Seconds that a Node must be Ready before it counts as available. Default 0."),
    readinessGates: conditionGatesSchema()
      .optional()
      .describe("Further conditions of the Machine that count for its condition Ready, 1 to 32."),
    deletion: notEmpty(deletionTimeouts()).optional().describe("How long each stage of a deletion may take."),
    taints: machineTaintsSchema()
      .optional()
      .describe("Taints of the Node, 1 to 64. A MachinePool refuses them."),
  });

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
} from "./meta.ts";

const conditionGateSchema = z.object({
  conditionType: text(1, 316, CONDITION_TYPE),
  /** Positive: the condition must be True; Negative: it must be False. Default Positive. */
  polarity: z.enum(["Positive", "Negative"]).optional(),
});

/** Further conditions that count for `Ready` (Machines) or `Available` (Clusters). */
export const conditionGatesSchema = mapList(conditionGateSchema, ["conditionType"], { min: 1, max: 32 });

const machineTaintSchema = z.object({
  key: text(1, 317, TAINT_KEY),
  value: text(1, 63, LABEL_VALUE).optional(),
  effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
  /** OnInitialization: set once when the Node appears; Always: kept. */
  propagation: z.enum(["Always", "OnInitialization"]),
});
export const machineTaintsSchema = mapList(machineTaintSchema, ["key", "effect"], { min: 1, max: 64 });

/** 0 means without limit for each of them. */
export const deletionTimeouts = {
  nodeDrainTimeoutSeconds: seconds.optional(),
  nodeVolumeDetachTimeoutSeconds: seconds.optional(),
  nodeDeletionTimeoutSeconds: seconds.optional(),
};

/** `spec` of a Machine, and of the template of everything that makes Machines. */
export const machineSpecSchema = z.object({
  clusterName: text(1, 63),
  bootstrap: z.object({
    configRef: contractReferenceSchema.optional(),
    /** The empty string is a value: no bootstrap data wanted. */
    dataSecretName: text(0, 253).optional(),
  }),
  infrastructureRef: contractReferenceSchema,
  version: text(1, 256).optional(),
  providerID: text(1, 512).optional(),
  failureDomain: text(1, 256).optional(),
  minReadySeconds: seconds.optional(),
  readinessGates: conditionGatesSchema.optional(),
  deletion: notEmpty(deletionTimeouts).optional(),
  taints: machineTaintsSchema.optional(),
});

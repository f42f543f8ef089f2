import * as z from "zod";
import { CONDITION_TYPE, mapList, text, time, validations } from "../../../shared/api/meta.ts";
import { count, endpoint, flag } from "./sim-provider.ts";

/** Fields that the simulated control planes of both contracts have in common. */

/** A semantic version; the provider adds a missing `v`. */
const wantedVersion = () => text(1, 256, "^v?[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$");

export const controlPlaneSpec = () => ({
  controlPlaneEndpoint: endpoint(),
  endpointMode: z
    .enum(["provider", "external"])
    .optional()
    .describe(
      "With provider, this object orders the workload API server and publishes its address; with external, it waits for the endpoint of the Cluster. Default external.",
    ),
  version: wantedVersion().optional().describe("Kubernetes version wanted, such as v1.34.0."),
  replicas: z
    .int32()
    .min(1)
    .default(1)
    .meta(validations({ rule: "self % 2 == 1", message: "replicas must be odd: etcd needs a majority" }))
    .describe("Replicas wanted, an odd number. Default 1."),
  kubeconfigValiditySeconds: z
    .int32()
    .min(10)
    .optional()
    .describe("Seconds that the client certificate in the kubeconfig is valid. Default one year."),
});

/** References of the contract v1beta2. */
export const machineTemplateNames = () => ({
  apiGroup: z.enum(["infrastructure.sim.capstan.dev"]).describe("API group of the template."),
  kind: z.enum(["SimMachineTemplate"]).describe("Kind of the template."),
});
export const bootstrapTemplateNames = () => ({
  apiGroup: z.enum(["bootstrap.sim.capstan.dev"]).describe("API group of the template."),
  kind: z.enum(["SimBootstrapConfigTemplate"]).describe("Kind of the template."),
});

/** The choice between Machines and external is made once. */
export const FLAVOUR_RULES = validations({
  rule: "has(self.machineTemplate) == has(oldSelf.machineTemplate)",
  message: "machineTemplate must not be added or removed: create another object",
});

/**
 * Conditions of either contract, with the fields that only one of them has; `status` is any text, because a fault may
 * report one that no contract knows.
 */
export function reportedConditions<More extends z.ZodRawShape>(more: More) {
  const condition = z.object({
    type: z.string().max(316).regex(new RegExp(CONDITION_TYPE)).describe("Type of the condition."),
    status: z.string().max(32).describe("True, False or Unknown."),
    observedGeneration: z.int().min(0).optional().describe("Generation of the object that was judged."),
    lastTransitionTime: time.describe("When the status changed last."),
    reason: z.string().max(1024).optional().describe("One word for programs."),
    message: z.string().max(32_768).optional().describe("The same for people."),
    ...more,
  });
  return mapList(condition, ["type"], { max: 32 }).describe("Conditions: one per type, at most 32.");
}

export const controlPlaneStatus = () => ({
  selector: z
    .string()
    .optional()
    .describe("Label selector of its Machines, for the scale subresource. An external one has none."),
  replicas: count().describe("Replicas that exist."),
  readyReplicas: count().describe("Replicas that are ready."),
  version: text(1, 256).optional().describe("The lowest Kubernetes version that a replica runs."),
  externalManagedControlPlane: flag().describe("True without Machines: the control plane has no Nodes."),
  certificates: z
    .object({
      ready: flag().describe("All certificates and the kubeconfig are there."),
      message: z.string().max(1024).optional().describe("Problem with them, for people."),
    })
    .optional()
    .describe("State of the certificates and of the kubeconfig."),
  failureReason: z.string().optional().describe("Final failure, one word. Only as a fault for tests."),
  failureMessage: z.string().optional().describe("The same for people."),
  observedGeneration: z.int().min(1).optional().describe("Generation of the spec that this status is about."),
});

/** The paths for the scale subresource. */
export const REPLICA_PATHS = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
} as const;

import * as z from "zod";
import type { Kind } from "../../../shared/api/kinds.ts";
import { type Immutable, objectMetaSchema, seconds, time, typeMeta } from "../../../shared/api/meta.ts";
import { CONTRACT_LABEL, count, providerCrd, type TemplateOf, templateOf } from "./sim-provider.ts";

const specSchema = () =>
  z
    .object({
      strategy: z
        .enum(["Reboot"])
        .default("Reboot")
        .describe("How the instance of the Machine is repaired. Default Reboot."),
      delaySeconds: seconds().default(2).describe("Seconds that a reboot takes. Default 2."),
      timeoutSeconds: seconds()
        .default(60)
        .describe(
          "Seconds after a reboot until it counts as failed, if the request is still there. Default 60.",
        ),
      retryLimit: z
        .int32()
        .min(0)
        .default(1)
        .describe(
          "Further reboots after the first. When they have failed, too, the Machine is given up. Default 1.",
        ),
      outcome: z
        .enum(["Recovers", "Fails"])
        .default("Recovers")
        .describe("Whether a reboot takes the failures of the instance away. Default Recovers."),
      gaveUpIn: z
        .enum(["Both", "Deprecated"])
        .default("Both")
        .describe(
          "Conditions of the Machine that get OwnerRemediated when it is given up: both lists, or the deprecated one only. Default Both.",
        ),
    })
    .prefault({})
    .describe("Desired state.");

const simRemediationSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: z
        .object({
          phase: z
            .enum(["Running", "Waiting", "Deleting machine", "Failed"])
            .optional()
            .describe(
              "Running: the instance is being rebooted. Waiting: for the Machine to be healthy. Deleting machine: given up. Failed: the Machine has no instance.",
            ),
          retryCount: count().describe("Further reboots so far."),
          lastRemediated: time
            .optional()
            .describe("When the present step began: a reboot, or the wait after it."),
        })
        .optional()
        .describe("State of the repair."),
    })
    .describe("A request to repair the simulated instance of the Machine that has its name.");

/** A request to repair the instance of a Machine, as health checks make it. Its owner is the Machine. */
export type SimRemediation = Immutable<z.infer<ReturnType<typeof simRemediationSchema>>>;
export const SimRemediation: Kind<SimRemediation> = {
  group: "infrastructure.sim.capstan.dev",
  provider: "infrastructure-sim",
  version: "v1beta2",
  kind: "SimRemediation",
  plural: "simremediations",
  namespaced: true,
  schema: simRemediationSchema,
  crd: providerCrd([
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Retries", type: "integer", jsonPath: ".status.retryCount" },
    { name: "Outcome", type: "string", jsonPath: ".spec.outcome", priority: 1 },
  ]),
};

/** Template from which health checks make SimRemediations. */
export type SimRemediationTemplate = TemplateOf<typeof specSchema>;
export const SimRemediationTemplate: Kind<SimRemediationTemplate> = templateOf(
  // Health checks name it, nothing owns it.
  {
    ...SimRemediation,
    crd: providerCrd([], { labels: { ...CONTRACT_LABEL, "clusterctl.cluster.x-k8s.io/move": "" } }),
  },
  specSchema,
);

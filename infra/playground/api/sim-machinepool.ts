import * as z from "zod";
import { conditionsSchema } from "../../../shared/api/conditions.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { atomicList, type Immutable, objectMetaSchema, seconds, typeMeta } from "../../../shared/api/meta.ts";
import {
  count,
  firstSteps,
  flag,
  providerCrd,
  type TemplateOf,
  templateOf,
  version,
} from "./sim-provider.ts";

/** Describes IDs without the limits of a provider: a fault may list values that no MachinePool accepts. */
const providerIDs = () => atomicList(z.string(), { max: 20_000 }).optional();

/** Describes false values that the provider reports, each on its own. The instances are not affected. */
const faultsSchema = () =>
  z.object({
    failureReason: z.string().optional().describe("Final failure to report, one word."),
    failureMessage: z.string().optional().describe("The same for people."),
    notReadyAfterSeconds: seconds()
      .optional()
      .describe("Seconds from the creation of the pool until it reports that it is no longer ready."),
    providerIDList: providerIDs().describe(
      "Identities to report in place of those of the instances: emptied, shrunk, foreign or malformed.",
    ),
    replicas: count().describe("Number to report in place of the instances that run."),
  });

const specSchema = () =>
  z
    .object({
      providerIDList: providerIDs().describe("Written by the provider: one identity per running instance."),
      bootDelaySeconds: seconds()
        .default(1)
        .describe("Seconds from the creation of an instance until it runs. Default 1."),
      nodeReadyDelaySeconds: seconds()
        .default(1)
        .describe("Seconds from running until the Node is Ready. Default 1."),
      template: z
        .object({ kubeletVersion: version().optional().describe("Version that the kubelets report.") })
        .optional()
        .describe("Template of the instances."),
      machines: flag().describe(
        "Make one SimMachine per instance, so that the MachinePool has Machines. Default false.",
      ),
      replicas: count().describe(
        "Instances that the cloud's own autoscaler wants; counts while the MachinePool has the annotation cluster.x-k8s.io/replicas-managed-by.",
      ),
      faults: faultsSchema().optional().describe("False values that the provider reports, for tests."),
    })
    .prefault({})
    .describe("Desired state. The MachinePool sets the number of instances.");

const simMachinePoolSchema = () =>
  z
    .object({
      ...typeMeta(),
      metadata: objectMetaSchema(),
      spec: specSchema(),
      status: z
        .object({
          ready: flag().describe("Whether the pool is ready; decides under both contracts."),
          replicas: count().describe("Instances that run."),
          initialization: firstSteps({ provisioned: flag().describe("It has been ready once.") }),
          failureReason: z.string().optional().describe("Final failure, one word."),
          failureMessage: z.string().optional().describe("The same for people."),
          infrastructureMachineKind: z
            .string()
            .optional()
            .describe("SimMachine while the pool makes them, else absent."),
          conditions: conditionsSchema().optional(),
        })
        .optional()
        .describe("State that the provider reports."),
    })
    .describe("A pool of simulated instances.");

/** A pool of simulated instances; the number wanted is its MachinePool's `spec.replicas`. */
export type SimMachinePool = Immutable<z.infer<ReturnType<typeof simMachinePoolSchema>>>;
export const SimMachinePool: Kind<SimMachinePool> = {
  group: "infrastructure.sim.capstan.dev",
  provider: "infrastructure-sim",
  version: "v1beta2",
  kind: "SimMachinePool",
  plural: "simmachinepools",
  namespaced: true,
  schema: simMachinePoolSchema,
  crd: providerCrd(
    [
      { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
      { name: "Replicas", type: "integer", jsonPath: ".status.replicas" },
      { name: "Machines", type: "string", jsonPath: ".status.infrastructureMachineKind", priority: 1 },
      { name: "Failure", type: "string", jsonPath: ".status.failureReason", priority: 1 },
    ],
    {
      waived: {
        "IMP-14": "spec.faults may list identities that no MachinePool accepts, for tests",
        "IMP-24": "spec.faults reports final failures, as older providers do, for tests",
      },
    },
  ),
};

/** Template from which a ClusterClass creates SimMachinePools. */
export type SimMachinePoolTemplate = TemplateOf<typeof specSchema>;
export const SimMachinePoolTemplate: Kind<SimMachinePoolTemplate> = templateOf(SimMachinePool, specSchema);

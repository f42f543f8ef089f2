import { toContractReference, toVersionedReference } from "./contract-reference.ts";
import { toFailureDomains } from "./failure-domains.ts";
import { emptyInMachineSpec, movedInMachineSpec } from "./machine-spec.ts";
import type { MovedField, Place } from "./moved-fields.ts";
import { toSeconds } from "./seconds.ts";
import { deprecated, MOVED_IN_STATUS, present } from "./status.ts";

/** Rules that turn a kind of v1beta1 into one of v1beta2; fields without a rule are the same in both. */
interface Conversion {
  readonly moved: readonly MovedField[];
  /** Fields that v1beta2 has none of, and that nothing has read for long. */
  readonly dropped?: readonly string[];
  /** Fields that v1beta1 may hold empty and v1beta2 leaves out; inner fields first. */
  readonly empty: readonly string[];
  /** Older versions that have the same fields as v1beta1, or fewer. */
  readonly olderVersions?: readonly string[];
}

const TEMPLATE = "spec.template.spec";
const LIMIT = "spec.remediation.triggerIf";
const BOOTSTRAP_READY: MovedField = {
  from: "status.bootstrapReady",
  to: "status.initialization.bootstrapDataSecretCreated",
};

const Cluster: Conversion = {
  moved: [
    { from: "spec.infrastructureRef", to: "spec.infrastructureRef", as: toContractReference },
    { from: "spec.controlPlaneRef", to: "spec.controlPlaneRef", as: toContractReference },
    { from: "spec.topology", to: "spec.topology", as: refuseTopology },
    ...MOVED_IN_STATUS,
    { from: "status.controlPlaneReady", to: "status.initialization.controlPlaneInitialized" },
    { from: "status.failureDomains", to: "status.failureDomains", as: toFailureDomains },
    present("controlPlane"),
    present("workers"),
  ],
  empty: [
    "spec.clusterNetwork.apiServerPort",
    "spec.clusterNetwork.serviceDomain",
    "spec.clusterNetwork.services.cidrBlocks",
    "spec.clusterNetwork.services",
    "spec.clusterNetwork.pods.cidrBlocks",
    "spec.clusterNetwork.pods",
    "spec.clusterNetwork",
    "spec.controlPlaneEndpoint.host",
    "spec.controlPlaneEndpoint.port",
    "spec.controlPlaneEndpoint",
    "spec.availabilityGates",
  ],
};

/** Counters by Nodes go to the deprecated ones, and those by conditions take their place. */
const MOVED_IN_WORKER_STATUS = [
  ...MOVED_IN_STATUS,
  deprecated("readyReplicas"),
  deprecated("availableReplicas"),
  present("readyReplicas"),
  present("availableReplicas"),
  present("upToDateReplicas"),
];

const MachinePool: Conversion = {
  moved: [
    { from: "spec.minReadySeconds", to: `${TEMPLATE}.minReadySeconds` },
    ...movedInMachineSpec(TEMPLATE),
    ...MOVED_IN_WORKER_STATUS,
    BOOTSTRAP_READY,
    deprecated("unavailableReplicas"),
  ],
  empty: ["spec.template.metadata", ...emptyInMachineSpec(TEMPLATE)],
};

const MachineSet: Conversion = {
  moved: [
    { from: "spec.minReadySeconds", to: `${TEMPLATE}.minReadySeconds` },
    { from: "spec.deletePolicy", to: "spec.deletion.order" },
    { from: "spec.machineNamingStrategy", to: "spec.machineNaming" },
    ...movedInMachineSpec(TEMPLATE),
    ...MOVED_IN_WORKER_STATUS,
    deprecated("fullyLabeledReplicas"),
  ],
  empty: [
    "spec.deletion.order",
    "spec.deletion",
    "spec.machineNaming.template",
    "spec.machineNaming",
    "spec.template.metadata",
    "status.selector",
    "status.observedGeneration",
    ...emptyInMachineSpec(TEMPLATE),
  ],
};

const STRATEGY = "spec.rollout.strategy";

const MachineDeployment: Conversion = {
  moved: [
    { from: "spec.strategy.rollingUpdate.deletePolicy", to: "spec.deletion.order" },
    { from: "spec.strategy.remediation", to: "spec.remediation" },
    { from: "spec.strategy", to: STRATEGY },
    { from: "spec.rolloutAfter", to: "spec.rollout.after" },
    { from: "spec.machineNamingStrategy", to: "spec.machineNaming" },
    { from: "spec.minReadySeconds", to: `${TEMPLATE}.minReadySeconds` },
    ...movedInMachineSpec(TEMPLATE),
    ...MOVED_IN_WORKER_STATUS,
    deprecated("updatedReplicas"),
    deprecated("unavailableReplicas"),
  ],
  dropped: ["spec.revisionHistoryLimit", "spec.progressDeadlineSeconds"],
  empty: [
    `${STRATEGY}.rollingUpdate`,
    `${STRATEGY}.type`,
    STRATEGY,
    "spec.rollout.after",
    "spec.rollout",
    "spec.remediation",
    "spec.deletion.order",
    "spec.deletion",
    "spec.machineNaming.template",
    "spec.machineNaming",
    "spec.template.metadata",
    "status.selector",
    "status.phase",
    "status.observedGeneration",
    ...emptyInMachineSpec(TEMPLATE),
  ],
};

const Machine: Conversion = {
  moved: [
    ...movedInMachineSpec("spec"),
    ...MOVED_IN_STATUS,
    BOOTSTRAP_READY,
    { from: "status.nodeRef", to: "status.nodeRef", as: toNodeRef },
  ],
  empty: emptyInMachineSpec("spec"),
};

/** Its fields are the same in both. */
const MachineDrainRule: Conversion = { moved: [], empty: [] };

const TIMEOUT: readonly MovedField[] = [{ from: "timeout", to: "timeoutSeconds", as: toSeconds }];

const MachineHealthCheck: Conversion = {
  olderVersions: ["v1alpha4", "v1alpha3"],
  moved: [
    { from: "spec.nodeStartupTimeout", to: "spec.checks.nodeStartupTimeoutSeconds", as: toSeconds },
    { from: "spec.unhealthyConditions", to: "spec.checks.unhealthyNodeConditions", each: TIMEOUT },
    { from: "spec.unhealthyMachineConditions", to: "spec.checks.unhealthyMachineConditions", each: TIMEOUT },
    { from: "spec.maxUnhealthy", to: `${LIMIT}.unhealthyLessThanOrEqualTo` },
    { from: "spec.unhealthyRange", to: `${LIMIT}.unhealthyInRange` },
    { from: "spec.remediationTemplate", to: "spec.remediation.templateRef", as: toVersionedReference },
    ...MOVED_IN_STATUS,
  ],
  empty: [
    "spec.checks.unhealthyNodeConditions",
    "spec.checks.unhealthyMachineConditions",
    "spec.checks",
    `${LIMIT}.unhealthyInRange`,
    LIMIT,
    "spec.remediation",
    "status.expectedMachines",
    "status.currentHealthy",
    "status.remediationsAllowed",
    "status.observedGeneration",
  ],
};

const ClusterResourceSet: Conversion = { moved: MOVED_IN_STATUS, empty: [] };

const ClusterResourceSetBinding: Conversion = {
  moved: [{ from: "spec.bindings", to: "spec.bindings", as: toBindings }],
  empty: [],
};

/** The conversions that Capstan serves, by kind. */
export const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map(
  Object.entries({
    Cluster,
    MachineDeployment,
    MachinePool,
    MachineSet,
    Machine,
    MachineDrainRule,
    MachineHealthCheck,
    ClusterResourceSet,
    ClusterResourceSetBinding,
  }),
);

/** A Node has no namespace and one version. */
function toNodeRef(reference: unknown, { field }: Place): object {
  if (typeof reference === "object" && reference !== null && "name" in reference)
    return { name: reference.name };
  throw new Error(`${field}: has no name`);
}

/** An entry of v1beta1 may be null. */
function toBindings(bindings: unknown): unknown {
  return Array.isArray(bindings) ? bindings.map((binding: unknown) => binding ?? {}) : bindings;
}

function refuseTopology(_: unknown, { field }: Place): never {
  throw new Error(
    `${field}: is not converted, because it needs Cluster API's topology controller, which Capstan does not have; set infrastructureRef and controlPlaneRef instead`,
  );
}

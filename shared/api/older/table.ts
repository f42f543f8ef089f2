import {
  conditions,
  counters,
  failures,
  gates,
  healthCheck,
  latch,
  machineSpec,
  rollout,
  selector,
  TAINT,
  template,
  timeouts,
} from "./blocks.ts";
import { kept, moved, type OlderVersion, type Rule, written } from "./rule.ts";

// The one table of fields: what an older version has elsewhere, in another form, or empty. Its schema, both conversions
// and the warnings of `up -f` follow from it and from the schema of v1beta2.
// Source: Cluster API v1.14.2, api/*/v1beta1/conversion.go and core/webhooks/conversion

const STATUS = [...conditions(), ...failures()];
const KEPT = { up: "keep", down: "keep" } as const;
const TEXT = { type: "string" };
const INT32 = { format: "int32", type: "integer" };
const TIME = { format: "date-time", type: "string" };
const DEFINITION_FROM = [{ old: "definitionFrom", schema: TEXT }];

const variables = (at: string): Rule => ({ at, items: written("name", "value") });
const inTopology = (): readonly Rule[] => [
  ...timeouts(""),
  { at: "taints", items: TAINT },
  variables("variables.overrides"),
];
const checkedInTopology = (at: string): readonly Rule[] => [
  moved(`${at}healthCheck.enabled`, `${at}machineHealthCheck.enable`, KEPT),
  ...healthCheck(`${at}healthCheck.`, `${at}machineHealthCheck.`),
];
const CONTROL_PLANE = "spec.topology.controlPlane.";

const Cluster: OlderVersion = {
  isAnnotated: true,
  lost: {
    "": [{ old: "spec.topology.rolloutAfter", schema: TIME }],
    "spec.topology.variables": DEFINITION_FROM,
    "spec.topology.controlPlane.variables.overrides": DEFINITION_FROM,
    "spec.topology.workers.machineDeployments.variables.overrides": DEFINITION_FROM,
    "spec.topology.workers.machinePools.variables.overrides": DEFINITION_FROM,
  },
  rules: [
    { at: "spec.paused", up: "drop", down: "drop", restored: "empty" },
    ...written(
      "spec.controlPlaneEndpoint",
      "spec.controlPlaneEndpoint.host",
      "spec.controlPlaneEndpoint.port",
    ),
    ...written("spec.clusterNetwork.services.cidrBlocks", "spec.clusterNetwork.pods.cidrBlocks"),
    { at: "spec.controlPlaneRef", as: "reference" },
    { at: "spec.infrastructureRef", as: "reference" },
    gates("spec.availabilityGates"),
    moved("spec.topology.classRef.name", "spec.topology.class", { down: "always" }),
    moved("spec.topology.classRef.namespace", "spec.topology.classNamespace"),
    ...written("spec.topology.version", "spec.topology.controlPlane", `${CONTROL_PLANE}metadata`),
    variables("spec.topology.variables"),
    ...checkedInTopology(CONTROL_PLANE),
    ...timeouts(CONTROL_PLANE),
    gates(`${CONTROL_PLANE}readinessGates`),
    { at: `${CONTROL_PLANE}taints`, items: TAINT },
    variables(`${CONTROL_PLANE}variables.overrides`),
    {
      at: "spec.topology.workers.machineDeployments",
      items: [
        ...written("class", "name", "metadata"),
        ...inTopology(),
        ...checkedInTopology(""),
        ...rollout(),
        gates("readinessGates"),
      ],
    },
    {
      at: "spec.topology.workers.machinePools",
      items: [...written("class", "name", "metadata"), ...inTopology()],
    },
    ...STATUS,
    latch("controlPlaneInitialized", "controlPlaneReady"),
    latch("infrastructureProvisioned", "infrastructureReady"),
    { at: "status.failureDomains", as: "failureDomains" },
    moved("status.controlPlane", "status.v1beta2.controlPlane", KEPT),
    moved("status.workers", "status.v1beta2.workers", KEPT),
  ],
};

const MACHINE_LATCHES = [
  latch("bootstrapDataSecretCreated", "bootstrapReady"),
  latch("infrastructureProvisioned", "infrastructureReady"),
];

const Machine: OlderVersion = {
  isAnnotated: true,
  rules: [
    ...machineSpec("spec."),
    { at: "spec.minReadySeconds", old: null, restored: "whole" },
    { at: "status.failureDomain", old: null, restored: "whole" },
    { at: "status.phase", as: "phase", restored: "whole" },
    ...STATUS,
    ...MACHINE_LATCHES,
    { at: "status.nodeRef", as: "node" },
    { at: "status.addresses", items: written("type", "address") },
    ...kept("status.nodeInfo", "status.nodeInfo.swap", "status.deletion"),
  ],
};

const MIN_READY = "spec.template.spec.minReadySeconds";

const MachineSet: OlderVersion = {
  rules: [
    ...template(),
    ...selector("spec.selector", { down: "always" }),
    moved(MIN_READY, "spec.minReadySeconds", { up: "drop", down: "drop" }),
    moved("spec.deletion.order", "spec.deletePolicy"),
    moved("spec.machineNaming", "spec.machineNamingStrategy"),
    ...STATUS,
    ...counters(["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], "always"),
  ],
};

const MachineDeployment: OlderVersion = {
  isAnnotated: true,
  lost: {
    "": [
      { old: "spec.progressDeadlineSeconds", schema: INT32 },
      { old: "spec.revisionHistoryLimit", schema: INT32 },
    ],
  },
  rules: [
    { at: "spec.paused", up: "drop", down: "drop", restored: "empty" },
    ...template(),
    ...selector("spec.selector", { down: "always" }),
    moved(MIN_READY, "spec.minReadySeconds"),
    moved("spec.rollout.after", "spec.rolloutAfter"),
    moved("spec.rollout.strategy", "spec.strategy"),
    moved("spec.deletion.order", "spec.strategy.rollingUpdate.deletePolicy"),
    moved("spec.remediation.maxInFlight", "spec.strategy.remediation.maxInFlight"),
    moved("spec.machineNaming", "spec.machineNamingStrategy"),
    ...conditions(),
    ...counters(["updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"], "always"),
  ],
};

const MachinePool: OlderVersion = {
  isAnnotated: true,
  rules: [
    ...template(),
    moved(MIN_READY, "spec.minReadySeconds"),
    ...STATUS,
    ...MACHINE_LATCHES,
    ...counters(["readyReplicas", "availableReplicas", "unavailableReplicas"], "drop"),
  ],
};

const counter = (at: string): Rule => ({ at, up: "drop", down: "always", restored: "empty" });

const MachineHealthCheck: OlderVersion = {
  isAnnotated: true,
  rules: [
    ...written("spec.clusterName"),
    ...selector("spec.selector", { down: "always" }),
    ...healthCheck("spec.", "spec."),
    ...conditions(),
    ...["expectedMachines", "currentHealthy", "remediationsAllowed"].map((name) => counter(`status.${name}`)),
  ],
};

const MachineDrainRule: OlderVersion = {
  rules: [
    ...written("spec.drain", "spec.drain.behavior"),
    { at: "spec.machines", items: [...selector("selector", KEPT), ...selector("clusterSelector", KEPT)] },
    { at: "spec.pods", items: [...selector("selector", KEPT), ...selector("namespaceSelector", KEPT)] },
  ],
};

const ClusterResourceSet: OlderVersion = {
  rules: [
    ...selector("spec.clusterSelector", { down: "always" }),
    { at: "spec.resources", items: written("kind", "name") },
    ...conditions(),
  ],
};

const ClusterResourceSetBinding: OlderVersion = {
  rules: [
    {
      at: "spec.bindings",
      hasNull: true,
      items: [
        ...written("clusterResourceSetName"),
        {
          at: "resources",
          items: [...written("kind", "name"), { at: "applied", up: "always", down: "always" }],
        },
      ],
    },
  ],
};

const POOL = [
  ...written("spec.poolRef", "spec.poolRef.kind", "spec.poolRef.name"),
  { at: "spec.poolRef.apiGroup", as: "group", down: "always" } as const,
];

const IPAddress: OlderVersion = {
  rules: [
    ...POOL,
    ...written("spec.claimRef", "spec.address"),
    { at: "spec.prefix", up: "always", down: "always" },
  ],
};

const IPAddressClaim: OlderVersion = {
  rules: [...POOL, ...written("status.addressRef"), ...conditions()],
};

const IPAddressClaimAlpha: OlderVersion = {
  isAnnotated: true,
  isCurrent: true,
  hasClusterLabel: true,
  rules: [
    ...POOL,
    { at: "spec.clusterName", old: null },
    ...written("status.addressRef"),
    moved("status.deprecated.v1beta1.conditions", "status.conditions", {
      items: conditions()[0]?.items ?? [],
    }),
    { at: "status.conditions", old: null, restored: "whole" },
  ],
};

const ExtensionConfig: OlderVersion = {
  rules: [
    ...written("spec.clientConfig", "spec.clientConfig.service.name", "spec.clientConfig.service.namespace"),
    ...selector("spec.namespaceSelector", KEPT),
    ...conditions(),
    {
      at: "status.handlers",
      items: written("name", "requestHook", "requestHook.apiVersion", "requestHook.hook"),
    },
  ],
};

const flag = (at: string): Rule => ({ at, up: "drop", down: "drop", restored: "empty" });

const variableSchema = (): Rule => ({
  at: "schema.openAPIV3Schema",
  down: "always",
  isSchema: true,
  items: [
    ...["uniqueItems", "exclusiveMaximum", "exclusiveMinimum"].map(flag),
    ...["x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"].map(flag),
    { at: "x-kubernetes-validations", items: written("rule") },
  ],
});
const definition = (): readonly Rule[] => [
  { at: "required", up: "always", down: "always" },
  ...written("schema"),
  moved("deprecatedV1Beta1Metadata", "metadata", { down: "always" }),
  variableSchema(),
];
const ofClass = (at: string, old: string): Rule =>
  moved(`${at}templateRef`, `${old}ref`, { as: "template", down: "always" });
const classOfWorkers = (): readonly Rule[] => [
  ...written("class"),
  moved("metadata", "template.metadata", { down: "always" }),
  moved("bootstrap", "template.bootstrap", { down: "always" }),
  moved("infrastructure", "template.infrastructure", { down: "always" }),
  ofClass("bootstrap.", "template.bootstrap."),
  ofClass("infrastructure.", "template.infrastructure."),
  moved("naming", "namingStrategy"),
  ...timeouts(""),
  { at: "taints", items: TAINT },
];

const ClusterClass: OlderVersion = {
  isAnnotated: true,
  rules: [
    gates("spec.availabilityGates"),
    ...written("spec.infrastructure", "spec.controlPlane", "spec.controlPlane.metadata", "spec.workers"),
    ofClass("spec.infrastructure.", "spec.infrastructure."),
    moved("spec.infrastructure.naming", "spec.infrastructureNamingStrategy"),
    ofClass("spec.controlPlane.", "spec.controlPlane."),
    moved(
      "spec.controlPlane.machineInfrastructure.templateRef",
      "spec.controlPlane.machineInfrastructure.ref",
      {
        as: "template",
      },
    ),
    moved("spec.controlPlane.naming", "spec.controlPlane.namingStrategy"),
    ...healthCheck("spec.controlPlane.healthCheck.", "spec.controlPlane.machineHealthCheck."),
    ...timeouts("spec.controlPlane."),
    gates("spec.controlPlane.readinessGates"),
    { at: "spec.controlPlane.taints", items: TAINT },
    {
      at: "spec.workers.machineDeployments",
      items: [
        ...classOfWorkers(),
        ...healthCheck("healthCheck.", "machineHealthCheck."),
        ...rollout(),
        gates("readinessGates"),
      ],
    },
    { at: "spec.workers.machinePools", items: classOfWorkers() },
    { at: "spec.variables", items: [...written("name"), ...definition()] },
    {
      at: "spec.patches",
      items: [
        ...written("name"),
        ...kept("external"),
        moved("external.generatePatchesExtension", "external.generateExtension"),
        moved("external.validateTopologyExtension", "external.validateExtension"),
        {
          at: "definitions",
          items: [
            ...written("selector", "selector.apiVersion", "selector.kind", "selector.matchResources"),
            flag("selector.matchResources.infrastructureCluster"),
            flag("selector.matchResources.controlPlane"),
            ...kept(
              "selector.matchResources.machineDeploymentClass",
              "selector.matchResources.machinePoolClass",
            ),
            { at: "jsonPatches", down: "always", items: [...written("op", "path"), ...kept("valueFrom")] },
          ],
        },
      ],
    },
    ...conditions(),
    {
      at: "status.variables",
      items: [
        ...written("name"),
        { at: "definitionsConflict", up: "drop", down: "always", restored: "empty" },
        { at: "definitions", down: "always", items: [...written("from"), ...definition()] },
      ],
    },
  ],
};

/** Every kind that is served in an older version, `<group>/<Kind>`, with each such version. */
export const OLDER: ReadonlyMap<string, { readonly [version: string]: OlderVersion }> = new Map(
  Object.entries({
    "cluster.x-k8s.io/Cluster": { v1beta1: Cluster },
    "cluster.x-k8s.io/Machine": { v1beta1: Machine },
    "cluster.x-k8s.io/MachineSet": { v1beta1: MachineSet },
    "cluster.x-k8s.io/MachineDeployment": { v1beta1: MachineDeployment },
    "cluster.x-k8s.io/MachinePool": { v1beta1: MachinePool },
    "cluster.x-k8s.io/MachineHealthCheck": { v1beta1: MachineHealthCheck },
    "cluster.x-k8s.io/MachineDrainRule": { v1beta1: MachineDrainRule },
    "cluster.x-k8s.io/ClusterClass": { v1beta1: ClusterClass },
    "addons.cluster.x-k8s.io/ClusterResourceSet": { v1beta1: ClusterResourceSet },
    "addons.cluster.x-k8s.io/ClusterResourceSetBinding": { v1beta1: ClusterResourceSetBinding },
    "runtime.cluster.x-k8s.io/ExtensionConfig": { v1alpha1: ExtensionConfig },
    "ipam.cluster.x-k8s.io/IPAddress": { v1beta1: IPAddress, v1alpha1: { ...IPAddress, isCurrent: true } },
    "ipam.cluster.x-k8s.io/IPAddressClaim": { v1beta1: IPAddressClaim, v1alpha1: IPAddressClaimAlpha },
  }),
);

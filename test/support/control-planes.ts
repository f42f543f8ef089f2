import type {
  SimBootstrapConfig,
  SimBootstrapConfigTemplate,
} from "../../infra/playground/api/sim-bootstrap.ts";
import type { SimServer } from "../../infra/playground/api/sim-cloud.ts";
import type { SimControlPlane } from "../../infra/playground/api/sim-controlplane.ts";
import type { SimControlPlaneLegacy } from "../../infra/playground/api/sim-controlplane-legacy.ts";
import type { SimMachine, SimMachineTemplate } from "../../infra/playground/api/sim-machine.ts";
import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { cluster, merge, type Overrides } from "./builders.ts";

const CLUSTER_LABEL = { "cluster.x-k8s.io/cluster-name": "c1" };
export const OWNED_BY_C1 = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Cluster",
  name: "c1",
  uid: "uid-c1",
};
export const CONTROL_PLANE_FINALIZER = "simcontrolplane.controlplane.sim.capstan.dev";
const VERSION = "v1.34.2";
const OLD = "2026-01-01T00:00:00Z";

const INFRA_TEMPLATE = {
  apiGroup: "infrastructure.sim.capstan.dev",
  kind: "SimMachineTemplate",
  name: "t1",
} as const;
const BOOTSTRAP_TEMPLATE = {
  apiGroup: "bootstrap.sim.capstan.dev",
  kind: "SimBootstrapConfigTemplate",
  name: "t1",
} as const;

const metadata = {
  name: "cp",
  namespace: "default",
  uid: "uid-cp",
  resourceVersion: "60",
  generation: 1,
  creationTimestamp: OLD,
  labels: CLUSTER_LABEL,
  finalizers: [CONTROL_PLANE_FINALIZER],
  ownerReferences: [OWNED_BY_C1],
};

/** SimControlPlane `default/cp` of Cluster c1: three Machines of v1.34.2, initialized. */
export function machinesControlPlane(overrides: Overrides<SimControlPlane> = {}): SimControlPlane {
  return merge<SimControlPlane>(
    {
      apiVersion: "controlplane.sim.capstan.dev/v1beta2",
      kind: "SimControlPlane",
      metadata,
      spec: {
        replicas: 3,
        version: VERSION,
        machineTemplate: {
          spec: { infrastructureRef: INFRA_TEMPLATE, bootstrap: { configRef: BOOTSTRAP_TEMPLATE } },
        },
      },
      status: { initialization: { controlPlaneInitialized: true }, certificates: { ready: true } },
    },
    overrides,
  );
}

/** The same as a SimControlPlaneLegacy. */
export function legacyControlPlane(overrides: Overrides<SimControlPlaneLegacy> = {}): SimControlPlaneLegacy {
  return merge<SimControlPlaneLegacy>(
    {
      apiVersion: "controlplane.sim.capstan.dev/v1beta1",
      kind: "SimControlPlaneLegacy",
      metadata,
      spec: {
        replicas: 3,
        version: VERSION,
        machineTemplate: {
          infrastructureRef: {
            apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
            kind: "SimMachineTemplate",
            name: "t1",
          },
          bootstrapRef: {
            apiVersion: "bootstrap.sim.capstan.dev/v1beta2",
            kind: "SimBootstrapConfigTemplate",
            name: "t1",
          },
        },
      },
      status: { initialized: true, certificates: { ready: true } },
    },
    overrides,
  );
}

/** Cluster c1 with the failure domains a, b (control plane) and w (workers only). */
export function domainCluster(overrides: Overrides<Cluster> = {}): Cluster {
  const failureDomains = [
    { name: "a", controlPlane: true },
    { name: "b", controlPlane: true },
    { name: "w", controlPlane: false },
  ];
  return merge<Cluster>(
    cluster({ status: { initialization: { infrastructureProvisioned: true }, failureDomains } }),
    overrides,
  );
}

export const TEMPLATES: readonly [SimMachineTemplate, SimBootstrapConfigTemplate] = [
  {
    apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
    kind: "SimMachineTemplate",
    metadata: { name: "t1", namespace: "default", uid: "uid-t1", ownerReferences: [OWNED_BY_C1] },
    spec: { template: { spec: { bootDelaySeconds: 0 } } },
  },
  {
    apiVersion: "bootstrap.sim.capstan.dev/v1beta2",
    kind: "SimBootstrapConfigTemplate",
    metadata: { name: "t1", namespace: "default", uid: "uid-t2", ownerReferences: [OWNED_BY_C1] },
    spec: { template: { spec: {} } },
  },
];

/** A condition as it is stored. */
export function stored(type: string, status: "True" | "False" | "Unknown", reason = type) {
  return { type, status, reason, message: "", lastTransitionTime: OLD };
}

const READY = [stored("Available", "True"), stored("Ready", "True"), stored("UpToDate", "True")];

/** A Machine of control plane cp: up to date, Ready, with Node. */
export function controlPlaneMachine(name: string, overrides: Overrides<Machine> = {}): Machine {
  return merge<Machine>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: {
        name,
        namespace: "default",
        uid: `uid-${name}`,
        resourceVersion: "70",
        creationTimestamp: OLD,
        finalizers: ["machine.cluster.x-k8s.io"],
        labels: {
          ...CLUSTER_LABEL,
          "cluster.x-k8s.io/control-plane": "",
          "cluster.x-k8s.io/control-plane-name": "cp",
        },
        ownerReferences: [
          {
            apiVersion: "controlplane.sim.capstan.dev/v1beta2",
            kind: "SimControlPlane",
            name: "cp",
            uid: "uid-cp",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        clusterName: "c1",
        version: VERSION,
        bootstrap: { configRef: { apiGroup: "bootstrap.sim.capstan.dev", kind: "SimBootstrapConfig", name } },
        infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine", name },
        deletion: { nodeDeletionTimeoutSeconds: 10 },
      },
      status: { nodeRef: { name }, conditions: READY },
    },
    overrides,
  );
}

/** The objects that were cloned for such a Machine, from templates of this name. */
export function clonesOf(name: string, template = "t1"): readonly [SimMachine, SimBootstrapConfig] {
  const cloneMetadata = (groupKind: string) => ({
    name,
    namespace: "default",
    uid: `uid-${groupKind}-${name}`,
    resourceVersion: "80",
    labels: {
      ...CLUSTER_LABEL,
      "cluster.x-k8s.io/control-plane": "",
      "cluster.x-k8s.io/control-plane-name": "cp",
    },
    annotations: {
      "cluster.x-k8s.io/cloned-from-name": template,
      "cluster.x-k8s.io/cloned-from-groupkind": groupKind,
    },
    ownerReferences: [
      {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "Machine",
        name,
        uid: `uid-${name}`,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  });
  return [
    {
      apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
      kind: "SimMachine",
      metadata: cloneMetadata("SimMachineTemplate.infrastructure.sim.capstan.dev"),
      spec: {},
    },
    {
      apiVersion: "bootstrap.sim.capstan.dev/v1beta2",
      kind: "SimBootstrapConfig",
      metadata: cloneMetadata("SimBootstrapConfigTemplate.bootstrap.sim.capstan.dev"),
      spec: {},
    },
  ];
}

/** Machines of these names, complete. */
export function complete(...names: readonly string[]): readonly KubeObject[] {
  return names.flatMap((name) => [controlPlaneMachine(name), ...clonesOf(name)]);
}

/** SimServer of Cluster c1. */
export function simServer(overrides: Overrides<SimServer> = {}): SimServer {
  return merge<SimServer>(
    {
      apiVersion: "cloud.sim.capstan.dev/v1beta1",
      kind: "SimServer",
      metadata: { name: "c1", namespace: "default", uid: "uid-server", resourceVersion: "50" },
      spec: { clusterName: "c1", onMachines: true },
      status: { host: "127.0.0.1", port: 4711, ready: true },
    },
    overrides,
  );
}

import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import { Connection } from "../../shared/api/core.ts";
import type { Kind, KubeObject, OwnerReference } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { cluster, connection, infraMachine, machine } from "../support/builders.ts";
import { machineSet } from "../support/foo-sets.ts";

/** One Cluster of the fleet: it has one MachineSet with its Machines. */
export interface Member {
  readonly namespace: string;
  readonly name: string;
  readonly machines: number;
  /** The provider's object of each Machine is in the read model as well. */
  readonly isProvided: boolean;
}

const NAMESPACES = 20;
const CREATED = "2026-01-01T00:00:00Z";
export const LARGE: Member = { namespace: "team-00", name: "large", machines: 1_000, isProvided: true };

/** The Clusters `c-0000`, `c-0001` …, in 20 namespaces, and one of 1,000 Machines. `opened`: so many of them may be opened. */
export function fleetOf(clusters: number, machines: number, opened: number): readonly Member[] {
  const digits = String(clusters - 1).length;
  const members = Array.from({ length: clusters }, (_, at) => ({
    namespace: `team-${String(at % NAMESPACES).padStart(2, "0")}`,
    name: `c-${String(at).padStart(digits, "0")}`,
    machines,
    isProvided: at < opened,
  }));
  return [...members, LARGE];
}

export interface Snapshot {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Everything of a Cluster that the read model keeps; the objects of the provider only where the Cluster may be opened. */
export function objectsOf(member: Member): readonly Snapshot[] {
  const machines = Array.from({ length: member.machines }, (_, at) => machineOf(member, at, 1));
  const provided = member.isProvided ? machines.map(({ object }) => infraMachineOf(object)) : [];
  return [connectionOf(member), clusterOf(member, 1), setOf(member), ...machines, ...provided];
}

/** `version`: of the resource. */
export function clusterOf({ namespace, name, machines }: Member, version: number, isWell = true): Snapshot {
  const ready = isWell ? machines : machines - 1;
  const object = cluster({
    metadata: metadataOf(namespace, name, version),
    spec: {
      controlPlaneEndpoint: { host: `${name}.example.com`, port: 6443 },
      infrastructureRef: undefined,
      controlPlaneRef: undefined,
    },
    status: {
      phase: "Provisioned",
      conditions: [
        conditionOf("Available", isWell, isWell ? "" : `* WorkersAvailable: ${name} has too few Machines`),
        ...[
          "InfrastructureReady",
          "ControlPlaneInitialized",
          "ControlPlaneAvailable",
          "WorkersAvailable",
        ].map((type) => conditionOf(type, true)),
        ...["WorkerMachinesReady", "WorkerMachinesUpToDate", "RemoteConnectionProbe"].map((type) =>
          conditionOf(type, true),
        ),
        ...["RollingOut", "ScalingUp", "ScalingDown", "Remediating", "Deleting", "Paused"].map((type) =>
          conditionOf(type, false),
        ),
      ],
      workers: {
        desiredReplicas: machines,
        replicas: machines,
        upToDateReplicas: machines - (version % 2),
        readyReplicas: ready,
        availableReplicas: ready,
        versions: [{ version: "v1.34.2", replicas: machines }],
      },
    },
  });
  return { kind: Cluster as Kind, object };
}

/** The Node of even versions is under disk pressure. */
export function machineOf({ namespace, name, machines }: Member, at: number, version: number): Snapshot {
  const own = `${name}-md-${String(at).padStart(String(machines).length, "0")}`;
  const isWell = version % 2 === 1;
  const object = machine(own, {
    metadata: {
      ...metadataOf(namespace, own, version),
      labels: labelsOf(name),
      ownerReferences: [{ ...ownerOf(MachineSet as Kind, namespace, `${name}-md`), controller: true }],
      finalizers: ["machine.cluster.x-k8s.io"],
    },
    spec: {
      clusterName: name,
      bootstrap: { dataSecretName: `${own}-data` },
      infrastructureRef: { apiGroup: FooMachine.group, kind: FooMachine.kind, name: own },
      providerID: `foo://${namespace}/${own}`,
    },
    status: {
      phase: "Running",
      nodeRef: { name: own },
      conditions: [
        ...["Available", "Ready", "UpToDate", "BootstrapConfigReady", "InfrastructureReady"].map((type) =>
          conditionOf(type, true),
        ),
        conditionOf("NodeHealthy", isWell, isWell ? "" : "Node is under disk pressure"),
        conditionOf("NodeReady", true),
        conditionOf("Deleting", false),
        conditionOf("Paused", false),
      ],
      addresses: [{ type: "InternalIP", address: `10.0.${at % 200}.7` }],
    },
  });
  return { kind: Machine as Kind, object };
}

const FooMachine: Kind = {
  group: "infrastructure.cluster.x-k8s.io",
  version: "v1",
  kind: "FooMachine",
  plural: "foomachines",
  namespaced: true,
};

function infraMachineOf({ metadata: { namespace = "", name } }: KubeObject): Snapshot {
  const metadata = { ...metadataOf(namespace, name, 1), uid: `uid-infra-${namespace}-${name}` };
  return { kind: FooMachine, object: infraMachine(name, { metadata }) };
}

function setOf({ namespace, name, machines }: Member): Snapshot {
  const object = machineSet({
    metadata: {
      ...metadataOf(namespace, `${name}-md`, 1),
      labels: labelsOf(name),
      ownerReferences: [ownerOf(Cluster as Kind, namespace, name)],
    },
    spec: { clusterName: name, replicas: machines, template: { spec: { clusterName: name } } },
    status: {
      replicas: machines,
      readyReplicas: machines,
      availableReplicas: machines,
      upToDateReplicas: machines,
      conditions: ["MachinesReady", "MachinesUpToDate"].map((type) => conditionOf(type, true)),
    },
  });
  return { kind: MachineSet as Kind, object };
}

function connectionOf({ namespace, name }: Member): Snapshot {
  return {
    kind: Connection as Kind,
    object: connection({ metadata: { namespace, name, uid: `uid-connection-${namespace}-${name}` } }),
  };
}

function metadataOf(namespace: string, name: string, version: number) {
  return { namespace, name, uid: `uid-${namespace}-${name}`, resourceVersion: String(version) };
}

function labelsOf(cluster: string) {
  return { "cluster.x-k8s.io/cluster-name": cluster, "cluster.x-k8s.io/set-name": `${cluster}-md` };
}

function ownerOf({ kind }: Kind, namespace: string, name: string): OwnerReference {
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind, name, uid: `uid-${namespace}-${name}` };
}

function conditionOf(type: string, isTrue: boolean, message = ""): Condition {
  const status = isTrue ? "True" : "False";
  return {
    type,
    status,
    reason: `${type}${status}`,
    message,
    observedGeneration: 1,
    lastTransitionTime: CREATED,
  };
}

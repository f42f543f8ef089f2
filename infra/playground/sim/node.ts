import { createHash } from "node:crypto";
import { Node, type NodeCondition } from "../../../shared/api/core.ts";
import { apiVersionOf } from "../../../shared/api/kinds.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import type { SimInstance } from "../api/sim-cloud.ts";
import { instanceID } from "./identity.ts";

const KUBELET_VERSION = "v1.34.0";

/** Returns a Node as the kubelet of an instance registers it: not initialized by a cloud controller yet. */
interface RegisteredNode extends Node {
  readonly status: {
    readonly conditions: readonly NodeCondition[];
    readonly nodeInfo: { readonly kubeletVersion: string; readonly [field: string]: string };
    readonly [field: string]: unknown;
  };
}

/** Addresses of an instance of a Machine: the same whenever they are asked for. */
export function addressesOf(instance: SimInstance) {
  const internal = ["10", ...hashOf(instanceID(instance)).subarray(0, 3)].join(".");
  return [
    { type: "Hostname", address: instance.metadata.name },
    { type: "InternalIP", address: internal },
  ] as const;
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Returns a text in the form of a UUID, the same for the same text. */
function uuidOf(text: string): string {
  const digits = hashOf(text).toString("hex");
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join("-");
}

const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

export function nodeOf(instance: SimInstance, ready: boolean, now: Date): RegisteredNode {
  const { name } = instance.metadata;
  const { controlPlane = false, failureDomain, poolName } = instance.spec;
  const kubeletVersion = instance.spec.kubeletVersion ?? KUBELET_VERSION;
  const id = instanceID(instance);
  return {
    apiVersion: apiVersionOf(Node),
    kind: Node.kind,
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": labelValueOf(name),
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "sim",
        ...(controlPlane ? { [CONTROL_PLANE]: "" } : {}),
        ...(failureDomain === undefined
          ? {}
          : { "topology.kubernetes.io/zone": labelValueOf(failureDomain) }),
      },
    },
    spec: {
      providerID: id,
      taints: [
        { key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" },
        ...(controlPlane ? [{ key: CONTROL_PLANE, effect: "NoSchedule" } as const] : []),
      ],
    },
    status: {
      addresses: poolName === undefined ? addressesOf(instance) : [{ type: "Hostname", address: name }],
      allocatable: { cpu: "2", memory: "4Gi", pods: "110" },
      capacity: { cpu: "2", memory: "4Gi", pods: "110" },
      conditions: conditionsOf(instance, ready, now),
      nodeInfo: {
        architecture: "amd64",
        bootID: uuidOf(`${id} ${instance.spec.reboots ?? 0}`),
        containerRuntimeVersion: "sim://1.0.0",
        kernelVersion: "6.0.0-sim",
        kubeProxyVersion: kubeletVersion,
        kubeletVersion,
        machineID: uuidOf(id),
        operatingSystem: "linux",
        osImage: "Simulated Linux",
        systemUUID: uuidOf(id),
      },
    },
  };
}

/** The report of an instance's kubelet, with the failures that are asked for in place of the truth. */
function conditionsOf({ spec }: SimInstance, ready: boolean, now: Date): readonly NodeCondition[] {
  const { node, conditions: wanted = [] } = spec.faults ?? {};
  const asked = new Map(wanted.map(({ type, status }) => [type, status]));
  const truth = [
    ...pressures(now),
    node === "Unknown" ? lost(now) : readyCondition(ready && node === undefined, now),
  ];
  const kept = truth.filter(({ type }) => !asked.has(type));
  const faulty = [...asked].map(([type, status]) => ({
    ...healthy(type, status, now, "asked for in spec.faults of the SimInstance"),
    reason: "SimulatedFault",
  }));
  return [...kept, ...faulty];
}

/** Returns the condition that a node lifecycle controller sets where a kubelet is silent. */
function lost(now: Date): NodeCondition {
  const message = "Kubelet stopped posting node status.";
  return { ...healthy("Ready", "Unknown", now, message), reason: "NodeStatusUnknown" };
}

/** The same conditions, each with the time since when it has its status. */
export function withTimes(
  conditions: readonly NodeCondition[],
  known: readonly NodeCondition[],
): readonly NodeCondition[] {
  return conditions.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    if (before?.status !== condition.status) return condition;
    return { ...condition, lastTransitionTime: before.lastTransitionTime ?? condition.lastTransitionTime };
  });
}

function readyCondition(ready: boolean, now: Date): NodeCondition {
  return ready
    ? healthy("Ready", "True", now, "kubelet is posting ready status")
    : { ...healthy("Ready", "False", now, "container runtime network not ready"), reason: "KubeletNotReady" };
}

function pressures(now: Date): readonly NodeCondition[] {
  return [
    healthy("MemoryPressure", "False", now, "kubelet has sufficient memory available"),
    healthy("DiskPressure", "False", now, "kubelet has no disk pressure"),
    healthy("PIDPressure", "False", now, "kubelet has sufficient PID available"),
  ];
}

function healthy(type: string, status: string, now: Date, message: string): NodeCondition {
  const reasons: { readonly [type: string]: string } = {
    DiskPressure: "KubeletHasNoDiskPressure",
    MemoryPressure: "KubeletHasSufficientMemory",
    PIDPressure: "KubeletHasSufficientPID",
    Ready: "KubeletReady",
  };
  const at = `${now.toISOString().slice(0, 19)}Z`;
  return { type, status, reason: reasons[type], message, lastTransitionTime: at };
}

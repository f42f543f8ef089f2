import { createHash } from "node:crypto";
import { Node, type NodeCondition } from "../../../shared/api/core.ts";
import { apiVersionOf, objectKeyOf } from "../../../shared/api/kinds.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import { Pod } from "../../../shared/api/workload.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { SimInstance } from "../api/sim-cloud.ts";
import { type CloudView, instanceID, type RunningServer } from "./cloud-view.ts";

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
function withTimes(
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

/** The Node that an instance has registered. */
export interface Registered {
  readonly name: string;
  readonly server: RunningServer;
  readonly uid: string | undefined;
  /** Number of reboots before it was registered. */
  readonly reboots: number;
  /** Its conditions as far as they are known. */
  conditions: readonly NodeCondition[];
  /** Whether they are what was reported last; false: they are those of an earlier registration, or it has none. */
  isReported: boolean;
  /** The time since when its instance is gone, ms since the epoch. */
  leftAt?: number;
}

/** Stage of an instance. */
interface Stage {
  readonly instance: SimInstance;
  /** Its kubelet is ready. */
  readonly ready: boolean;
  readonly now: Date;
}

/** Registers the Node of an instance where it has none on this server or was rebooted, and reports its conditions. */
export async function upToDateNode(
  known: Registered | undefined,
  server: RunningServer,
  stage: Stage,
): Promise<Registered> {
  const isKnown = known?.server === server && known.reboots === rebootsOf(stage.instance);
  const node = isKnown ? known : await register(server, stage);
  const { conditions } = nodeOf(stage.instance, stage.ready, stage.now).status;
  if (!node.isReported || !saysTheSame(node.conditions, conditions)) await report(node, stage);
  return node;
}

function rebootsOf({ spec }: SimInstance): number {
  return spec.reboots ?? 0;
}

function saysTheSame(a: readonly NodeCondition[], b: readonly NodeCondition[]): boolean {
  const text = (conditions: readonly NodeCondition[]) =>
    JSON.stringify(conditions.map(({ type, status, reason }) => [type, status, reason]));
  return text(a) === text(b);
}

async function register(server: RunningServer, { instance, ready, now }: Stage): Promise<Registered> {
  const node = nodeOf(instance, ready, now);
  const common = { name: instance.metadata.name, server, reboots: rebootsOf(instance) };
  try {
    const created: Node = await server.client.create(Node, node);
    // Kubernetes keeps the status that a kubelet registers with; not every server does.
    const isReported = created.status?.conditions?.some(({ type }) => type === "Ready") ?? false;
    return { ...common, uid: created.metadata.uid, conditions: node.status.conditions, isReported };
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== "AlreadyExists") throw error;
  }
  const existing = await server.client.get(Node, nodeKey(instance.metadata.name));
  if (existing?.spec?.providerID === node.spec?.providerID) {
    const conditions = existing?.status?.conditions ?? [];
    return { ...common, uid: existing?.metadata.uid, conditions, isReported: false };
  }
  if (existing !== undefined) await deleteNode(server, instance.metadata.name, existing.metadata.uid);
  // The name is free now; the retry registers.
  throw new Error(`Node ${instance.metadata.name} of another instance had the name; deleted it`);
}

/** Writes the whole status: with server-side apply, what is left out is removed. */
async function report(node: Registered, { instance, ready, now }: Stage): Promise<void> {
  const { apiVersion, kind, metadata, status } = nodeOf(instance, ready, now);
  const conditions = withTimes(status.conditions, node.conditions);
  const identity = { apiVersion, kind, metadata: { name: metadata.name, uid: node.uid } };
  const body = { ...identity, status: { ...status, conditions } };
  try {
    await node.server.client.apply(Node, nodeKey(metadata.name), body, "status");
  } catch (error) {
    // The Node was deleted by another client: a kubelet registers only when it starts.
    if (!(error instanceof KubeError) || !NODE_GONE.has(error.reason)) throw error;
  }
  node.conditions = conditions;
  node.isReported = true;
}

const NODE_GONE: ReadonlySet<string> = new Set(["NotFound", "Conflict"]);

/** Deletes a Node and the Pods there. */
export async function removeNode(view: CloudView, { server, name, uid }: Registered): Promise<void> {
  // With its server gone, the Node is gone too.
  if (view.running.get(server.id) !== server) return;
  await deleteNode(server, name, uid);
  const { items } = await server.client.list(Pod, { fieldSelector: `spec.nodeName=${name}` });
  for (const pod of items) {
    await server.client.delete(Pod, objectKeyOf(pod), { uid: pod.metadata.uid ?? "" });
  }
}

async function deleteNode({ client }: RunningServer, name: string, uid: string | undefined): Promise<void> {
  try {
    await client.delete(Node, nodeKey(name), { uid: uid ?? "" });
  } catch (error) {
    // Another Node has the name by now: it must not be deleted.
    if (!(error instanceof KubeError) || error.reason !== "Conflict") throw error;
  }
}

function nodeKey(name: string) {
  return { namespace: "", name };
}

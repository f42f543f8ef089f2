import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection, Namespace, Node } from "../../../shared/api/core.ts";
import { type ClusterName, type KubeObject, workloadCluster } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDrainRule } from "../../../shared/api/machine/machine-drain-rule.ts";
import { DaemonSet, PersistentVolume, Pod, VolumeAttachment } from "../../../shared/api/workload.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { clusterKeyOf } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { readRenamed } from "../../../shared/rules/machines/node-of-machine.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { COMPLETE_VIEW_FIELDS } from "../../../shared/rules/workload/complete-view.ts";
import { type DrainPlan, drainPlan } from "./drain-plan.ts";
import { type Blocked, isBlocked, MAX_RULES, rulesOf } from "./drain-rules.ts";
import { mayBeNodeOf } from "./stage.ts";
import { type Attached, attachedHandles, attachedTo, attachedVolumeNames } from "./volumes.ts";

/** The fields of a Connection that say whether a Node can be looked at. */
export const REACH_FIELDS = [...COMPLETE_VIEW_FIELDS, "status.message"] as const;
/** The fields of a Node that the drain reads. */
export const DRAINED_NODE_FIELDS = [
  "metadata.uid",
  "spec.unschedulable",
  "status.conditions[Ready].status",
] as const;

/** Far more than a kubelet runs: a workload server that lists more is not believed. */
const MAX_PODS = 10_000;
const POD_PAGE = 100;

/** The Node of a deleted Machine as far as it can be looked at. */
export type Reach =
  | { readonly state: "unconnected"; readonly why: string }
  | { readonly state: "gone" }
  | { readonly state: "there"; readonly node: Node; readonly cluster: ClusterName };

/**
 * Returns the Node of `nodeRef`, or the one that its kubelet has registered under another name since. A Node of that name
 * with another provider ID is a new instance's, and counts as gone. A snapshot never proves that it is gone.
 */
export async function readReach(read: Reader, machine: Machine): Promise<Reach> {
  const key = clusterKeyOf(machine);
  const connection = await read.get(Connection, key);
  if (connection?.status.state !== "connected" || !connection.status.nodesComplete) {
    return { state: "unconnected", why: connection?.status.message ?? "not established yet" };
  }
  const cluster = workloadCluster(key);
  const stored = await read.get(Node, nodeKeyOf(machine), cluster);
  const node = isOf(machine, stored) ? stored : await read.live.get(Node, nodeKeyOf(machine), cluster);
  const found = isOf(machine, node) ? node : await readRenamed(read, machine);
  return found === undefined ? { state: "gone" } : { state: "there", node: found, cluster };
}

function nodeKeyOf({ status }: Machine) {
  return { namespace: "", name: status?.nodeRef?.name ?? "" };
}

function isOf(machine: Machine, node: Node | undefined): node is Node {
  return node !== undefined && mayBeNodeOf(machine, node);
}

/** Whether the kubelet of a Node has not answered for long. */
export function isUnreachable({ status }: Node): boolean {
  return conditionOf(status?.conditions, "Ready")?.status === "Unknown";
}

/** A Machine with its Node, as the reads of the drain need them. */
export interface Drained {
  readonly read: Reader;
  readonly machine: Machine;
  readonly owner: Cluster | undefined;
  readonly node: Node;
  readonly cluster: ClusterName;
  readonly now: Date;
}

/** Reads the Pods of a Node and everything that decides about them. A list that fails blocks the drain. */
export async function readPlan(drained: Drained): Promise<DrainPlan | Blocked> {
  return orBlocked(async () => {
    const { read, node, cluster, now } = drained;
    const pods = await read.live.list(
      Pod,
      { fieldSelector: `spec.nodeName=${node.metadata.name}`, pageItems: POD_PAGE, maxItems: MAX_PODS },
      cluster,
    );
    const context = pods.length === 0 ? NO_CONTEXT : await readContext(drained, pods);
    if (isBlocked(context)) return context;
    return drainPlan({ ...context, pods, unreachable: isUnreachable(node), now });
  });
}

const NO_CONTEXT = { namespaces: [], daemonSets: [], rules: { behaviourOf: () => undefined } };

async function readContext({ read, machine, owner, cluster }: Drained, pods: readonly Pod[]) {
  const [namespaces, daemonSets, found] = await Promise.all([
    read.live.list(Namespace, named(pods.map(({ metadata }) => metadata.namespace ?? "")), cluster),
    readDaemonSets(read, pods, cluster),
    readRules(read, machine),
  ]);
  const rules = rulesOf(found, { machine, cluster: owner });
  return isBlocked(rules) ? rules : { namespaces, daemonSets, rules };
}

function named(names: readonly string[]) {
  return { where: { path: "metadata.name", values: [...new Set(names)] } };
}

async function readDaemonSets(
  read: Reader,
  pods: readonly Pod[],
  cluster: ClusterName,
): Promise<readonly KubeObject[]> {
  const controllers = pods.map(controllerOf).filter((owner) => owner?.kind === DaemonSet.kind);
  const names = controllers.map((owner) => owner?.name ?? "");
  return names.length === 0 ? [] : read.live.list(DaemonSet, named(names), cluster);
}

/** Reads the rules; where their CRD is not installed, none exists. */
async function readRules(read: Reader, { metadata }: Machine): Promise<readonly MachineDrainRule[]> {
  const { namespace = "" } = metadata;
  try {
    return await read.live.list(MachineDrainRule, { namespace, pageItems: 100, maxItems: MAX_RULES });
  } catch (error) {
    if (error instanceof KubeError && error.reason === "TypeNotServed") return [];
    throw error;
  }
}

/**
 * Volumes of a Node; undefined: the Node is gone, or does not answer and never says that one is detached. Both reads at
 * once: while anything changes on a server, each list of it takes about 100 ms.
 */
export async function readAttached(drained: Drained): Promise<Attached | Blocked | undefined> {
  return orBlocked(async () => {
    const { read, machine, cluster } = drained;
    const key = { namespace: "", name: drained.node.metadata.name };
    const where = { path: "spec.nodeName", values: [key.name] };
    const [node, attachments] = await Promise.all([
      read.live.get(Node, key, cluster),
      read.live.list(VolumeAttachment, { where }, cluster),
    ]);
    return !isOf(machine, node) || isUnreachable(node) ? undefined : attachedTo(node, attachments);
  });
}

/** The PersistentVolumes of attached volumes: those that attachments name, then those that only the Node lists. */
export async function readVolumes(
  { read, cluster }: Drained,
  attached: Attached,
): Promise<readonly PersistentVolume[] | Blocked> {
  const list = (path: string, values: readonly string[]) =>
    values.length === 0 ? [] : read.live.list(PersistentVolume, { where: { path, values } }, cluster);
  return orBlocked(async () => {
    const found = await list("metadata.name", attachedVolumeNames(attached));
    const known = new Set(found.map(({ spec }) => spec?.csi?.volumeHandle));
    const others = attachedHandles(attached).filter((handle) => !known.has(handle));
    return [...found, ...(await list("spec.csi.volumeHandle", others))];
  });
}

/** A server that refuses or fails to answer; not one that is no longer connected. */
async function orBlocked<T>(ask: () => Promise<T>): Promise<T | Blocked> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof KubeError) return { problem: error.message };
    throw error;
  }
}

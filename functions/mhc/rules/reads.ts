import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection, Node } from "../../../shared/api/core.ts";
import { ANY_PAIR, indexesOf } from "../../../shared/api/indexes.ts";
import { type ClusterName, type Kind, workloadCluster } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { done, type Result, waitFor } from "../../../shared/function/define-function.ts";
import { clusterKeyOf, isPaused, PAUSE_FIELDS, PAUSING_FIELDS } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { SKIP_FIELDS } from "../../../shared/rules/machines/left-alone.ts";
import { readRenamed } from "../../../shared/rules/machines/node-of-machine.ts";
import { MARK_FIELDS, URGENCY_FIELDS } from "../../../shared/rules/machines/remediation.ts";
import { OWN_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { isCompleteView } from "../../../shared/rules/workload/complete-view.ts";
import { CHECKED_FIELDS } from "./guard.ts";
import { HELD_FIELDS } from "./hand-over.ts";
import { targetsOf } from "./targets.ts";
import type { NodeEvidence } from "./verdict.ts";

/** The fields of a health check by which it judges, and by which others of its Cluster find what it says. */
export const JUDGING_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...PAUSE_FIELDS,
  ...CHECKED_FIELDS,
  "spec.selector",
  "spec.remediation",
] as const;
/** The fields of a Cluster that decide about its Machines. */
export const CLUSTER_FIELDS = [
  ...PAUSING_FIELDS,
  "status.conditions[ControlPlaneInitialized]",
  "status.conditions[InfrastructureReady]",
] as const;
/** The fields of a Machine that decide about it, whatever the health check asks for. */
export const TARGET_FIELDS = [
  ...OWN_FIELDS,
  ...PAUSE_FIELDS,
  ...SKIP_FIELDS,
  ...HELD_FIELDS,
  "metadata.labels",
  ...URGENCY_FIELDS,
  "spec.clusterName",
  "status.nodeRef.name",
  "status.conditions[HealthCheckSucceeded]",
  "status.conditions[ExternallyRemediated]",
  "status.conditions[InfrastructureReady]",
  ...MARK_FIELDS,
] as const;
/** The fields of a Machine that decide where a health check names conditions of Machines, or a policy counts its peers. */
export const NAMED_FIELDS = ["status.conditions"] as const;
/** The fields of a Node that decide about its Machine. */
export const NODE_FIELDS = ["metadata.uid", "status.conditions"] as const;

/** Snapshots of everything that decides about the targets of a health check. */
export interface Scene {
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  /** The targets, by name. */
  readonly targets: readonly Machine[];
  /** All health checks of the Cluster that are not paused, this one included. */
  readonly checks: readonly MachineHealthCheck[];
  /** The Nodes by name; `undefined`: no Node counts before the control plane has been up. */
  readonly nodes: ReadonlyMap<string, Node> | undefined;
}

/**
 * Reads the targets of a health check. `unseen`: the workload cluster is not connected, or its Nodes are not all known,
 * so that a missing Node means nothing. `problem`: the selector cannot be read.
 */
export async function readScene(
  read: Reader,
  check: MachineHealthCheck,
  cluster: Cluster,
): Promise<Scene | NoScene> {
  if (isUp(cluster) && !isCompleteView(await read.get(Connection, clusterKeyOf(check)))) return "unseen";
  return readAround(read, check, cluster, (targets) => readNodes(read, check, targets));
}

/** A scene that cannot be looked at. */
type NoScene = "unseen" | { readonly problem: string };

export function isScene(found: Scene | NoScene): found is Scene {
  return found !== "unseen" && !("problem" in found);
}

/** The end of a run without a scene; mhc-status says what is wrong with the selector. */
export function unseen(found: NoScene): Result {
  return found === "unseen" ? waitFor("Connection.status.nodesComplete") : done;
}

/** The same without any Node, to report while the workload cluster is away: each of them is `unknown`. */
export async function readUnseenScene(
  read: Reader,
  check: MachineHealthCheck,
  cluster: Cluster,
): Promise<Scene | { readonly problem: string }> {
  return readAround(read, check, cluster, async () => new Map());
}

async function readAround(
  read: Reader,
  check: MachineHealthCheck,
  cluster: Cluster,
  nodesOf: (targets: readonly Machine[]) => Promise<ReadonlyMap<string, Node>>,
): Promise<Scene | { readonly problem: string }> {
  const [machines, checks] = await Promise.all([
    readSelectable(read, check),
    read.list(MachineHealthCheck, { index: { name: "cluster", values: [clusterIndex(check)] } }),
  ]);
  const targets = targetsOf(check, machines);
  if ("problem" in targets) return targets;
  const nodes = isUp(cluster) ? await nodesOf(targets.machines) : undefined;
  const others = checks.filter(
    (other) => other.metadata.uid !== check.metadata.uid && !isPaused(cluster, other),
  );
  return { check, cluster, targets: targets.machines, checks: [check, ...others], nodes };
}

/** Whether the control plane of a Cluster has been up, so that Nodes can be looked for. */
function isUp({ status }: Cluster): boolean {
  return conditionOf(status?.conditions, "ControlPlaneInitialized")?.status === "True";
}

/** The name of the Node that counts for a Machine; `undefined`: it has none. */
export function nodeNameOf(cluster: Cluster, { status }: Machine): string | undefined {
  return isUp(cluster) ? status?.nodeRef?.name : undefined;
}

/** Returns the Node of a Machine as far as it was seen. Those that `isAbsent` names are known not to exist. */
export function evidenceOf(
  cluster: Cluster,
  machine: Machine,
  nodes: ReadonlyMap<string, Node> | undefined,
  isAbsent: (name: string, machine: Machine) => boolean,
): NodeEvidence {
  const name = nodeNameOf(cluster, machine);
  if (name === undefined) return "none";
  return nodes?.get(name) ?? (isAbsent(name, machine) ? "missing" : "unknown");
}

export function workloadOf(check: MachineHealthCheck): ClusterName {
  return workloadCluster(clusterKeyOf(check));
}

function clusterIndex(check: MachineHealthCheck): string {
  const { namespace, name } = clusterKeyOf(check);
  return `${namespace}/${name}`;
}

/** The Machines of the Cluster that have the first label which the health check selects: few more than it selects. */
async function readSelectable(read: Reader, check: MachineHealthCheck): Promise<readonly Machine[]> {
  const scope = `${clusterIndex(check)}|`;
  const selector = selectorIndex(check);
  if (selector === scope) {
    return read.list(Machine, { index: { name: "cluster", values: [clusterIndex(check)] } });
  }
  return read.list(Machine, { index: { name: "label", values: [selector, `${scope}${ANY_PAIR}`] } });
}

/** The value by which a health check is found in the index `selector`: its Cluster and the first label of its selector. */
export function selectorIndex(check: MachineHealthCheck): string {
  const entries = indexesOf(MachineHealthCheck as unknown as Kind, check);
  return entries.find(({ name }) => name === "selector")?.value ?? "";
}

/** The number of Nodes above which all Nodes of the Cluster are read at once. */
const ONE_BY_ONE = 1_000;

async function readNodes(
  read: Reader,
  check: MachineHealthCheck,
  targets: readonly Machine[],
): Promise<ReadonlyMap<string, Node>> {
  const names = new Set(targets.flatMap(({ status }) => status?.nodeRef?.name ?? []));
  const index = { name: "name", values: [...names].map((name) => `/${name}`) };
  const nodes = await read.list(Node, names.size > ONE_BY_ONE ? {} : { index }, workloadOf(check));
  return withRenamed(nodesByName(nodes), targets, (machine) => readRenamed(read, machine));
}

/**
 * The same with the Node of each Machine whose kubelet has registered under another name, under the name that the Machine
 * still has.
 */
export async function withRenamed(
  nodes: ReadonlyMap<string, Node>,
  machines: readonly Machine[],
  renamedOf: (machine: Machine) => Promise<Node | undefined>,
): Promise<ReadonlyMap<string, Node>> {
  const lost = machines.flatMap((machine) => {
    const name = machine.status?.nodeRef?.name;
    return name === undefined || nodes.has(name) ? [] : [{ machine, name }];
  });
  if (lost.length === 0) return nodes;
  const renamed = await Promise.all(
    lost.map(async ({ machine, name }) => [name, await renamedOf(machine)] as const),
  );
  const found = renamed.flatMap(([name, node]) => (node === undefined ? [] : [[name, node] as const]));
  return new Map([...nodes, ...found]);
}

export function nodesByName(nodes: readonly Node[]): ReadonlyMap<string, Node> {
  return new Map(nodes.map((node) => [node.metadata.name, node]));
}

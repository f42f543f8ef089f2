import { Connection, Node } from "../../../shared/api/core.ts";
import { workloadCluster } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { clusterKeyOf } from "../../../shared/rules/metadata/read-cluster.ts";
import { readOwner } from "../../../shared/rules/metadata/read-owner.ts";
import {
  type MachineProviders,
  readMachineProviders,
} from "../../../shared/rules/providers/machine-providers.ts";
import { isCompleteView } from "../../../shared/rules/workload/complete-view.ts";
import type { NodeFacts } from "./node-report.ts";
import { mayBeNodeOf } from "./stage.ts";
import type { Rollout } from "./up-to-date.ts";

export { REFERENCE_FIELDS } from "../../../shared/rules/providers/machine-providers.ts";

/** Config and infrastructure machine, from snapshots or, given `read.live`, from the API server. */
export function readProviders(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Machine,
): Promise<MachineProviders> {
  return readMachineProviders(read, spec, metadata.namespace);
}

/**
 * The connection to the workload cluster, and with a complete view of it the Nodes, and other Machines, with the
 * Machine's provider ID: exactly that, for providers normalise nothing.
 */
export async function readNodes(
  read: Pick<Reader, "get" | "list">,
  machine: Machine,
  providerID: string | undefined,
): Promise<Pick<NodeFacts, "connection" | "nodes" | "rivals" | "namers">> {
  const key = clusterKeyOf(machine);
  const connection = await read.get(Connection, key);
  if (!isCompleteView(connection)) return { connection, nodes: undefined, rivals: [] };
  if (providerID === undefined) return { connection, nodes: [], rivals: [] };
  const [nodes, rivals] = await Promise.all([
    read.list(Node, { index: { name: "providerID", values: [providerID] } }, workloadCluster(key)),
    readRivals(read, machine, providerID),
  ]);
  return { connection, nodes, rivals, namers: await readNamers(read, machine, nodes) };
}

/** Other Machines that name the Node, where its kubelet has registered it under another name than the Machine has. */
async function readNamers(
  read: Pick<Reader, "list">,
  machine: Machine,
  [node]: readonly Node[],
): Promise<readonly Machine[]> {
  const { nodeRef } = machine.status ?? {};
  if (nodeRef === undefined || node === undefined || nodeRef.name === node.metadata.name) return [];
  const values = [`${workloadCluster(clusterKeyOf(machine))}|${node.metadata.name}`];
  const machines = await read.list(Machine, { index: { name: "nodeRef", values } });
  return machines.filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
}

/**
 * The only Node with the Machine's provider ID, if it has another name than `nodeRef`, and no other Machine has the ID or
 * names it: the Machine's Node, whose kubelet has registered again. By snapshots. Source: MA-3
 */
export async function readRenamed(
  read: Pick<Reader, "get" | "list">,
  machine: Machine,
): Promise<Node | undefined> {
  const { nodes = [], rivals, namers = [] } = await readNodes(read, machine, machine.spec.providerID);
  const [node] = nodes;
  const isOwn = nodes.length === 1 && rivals.length === 0 && namers.length === 0;
  return isOwn && node?.metadata.name !== machine.status?.nodeRef?.name ? node : undefined;
}

/** Other Machines of the Cluster with this provider ID. */
export async function readRivals(
  read: Pick<Reader, "list">,
  machine: Machine,
  providerID: string,
): Promise<readonly Machine[]> {
  const values = [`${workloadCluster(clusterKeyOf(machine))}|${providerID}`];
  const machines = await read.list(Machine, { index: { name: "providerID", values } });
  return machines.filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
}

/** The Node of `nodeRef`, or the renamed one; `undefined` also without a complete view of the workload cluster. */
export async function readNodeOf(
  read: Pick<Reader, "get" | "list">,
  machine: Machine,
  connection: Connection | undefined,
): Promise<Node | undefined> {
  const { name } = machine.status?.nodeRef ?? {};
  if (name === undefined || !isCompleteView(connection)) return undefined;
  const named = await read.get(Node, { namespace: "", name }, workloadCluster(clusterKeyOf(machine)));
  return named !== undefined && mayBeNodeOf(machine, named) ? named : readRenamed(read, machine);
}

/** Set of a Machine, with its MachineDeployment; `undefined`: it has no set. */
export async function readRollout(read: Reader, machine: Machine): Promise<Rollout | undefined> {
  const set = await readOwner(MachineSet, machine, read);
  return set && { set, deployment: await readOwner(MachineDeployment, set, read) };
}

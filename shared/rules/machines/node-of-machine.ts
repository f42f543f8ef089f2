import { Connection, Node } from "../../api/core.ts";
import { workloadCluster } from "../../api/kinds.ts";
import { Machine } from "../../api/machine/machine.ts";
import { clusterKeyOf } from "../../function/guards.ts";
import type { Reader } from "../../function/reads.ts";
import { isCompleteView } from "../workload/complete-view.ts";

/** The workload cluster as far as it concerns a Machine. */
export interface NodesOfMachine {
  readonly connection: Connection | undefined;
  /** Nodes with the Machine's provider ID; `undefined` without a complete view of the workload cluster. */
  readonly nodes: readonly Node[] | undefined;
  /** Other Machines of the Cluster with the same provider ID. */
  readonly rivals: readonly Machine[];
  /** Other Machines that name the Node, where its kubelet has registered it under another name than the Machine has. */
  readonly namers?: readonly Machine[] | undefined;
}

/**
 * The connection to the workload cluster, and with a complete view of it the Nodes, and other Machines, with the
 * Machine's provider ID: exactly that, for providers normalise nothing.
 */
export async function readNodes(
  read: Pick<Reader, "get" | "list">,
  machine: Machine,
  providerID: string | undefined,
): Promise<NodesOfMachine> {
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
 * names it: the Machine's Node, whose kubelet has registered again. By snapshots.
 */
export async function readRenamed(
  read: Pick<Reader, "get" | "list">,
  machine: Machine,
): Promise<Node | undefined> {
  if (machine.status?.nodeRef === undefined) return undefined;
  const { nodes = [], rivals, namers = [] } = await readNodes(read, machine, machine.spec.providerID);
  const [node] = nodes;
  const isOwn = nodes.length === 1 && rivals.length === 0 && namers.length === 0;
  return isOwn && node?.metadata.name !== machine.status.nodeRef.name ? node : undefined;
}

/** Reads other Machines of the Cluster with this provider ID. */
export async function readRivals(
  read: Pick<Reader, "list">,
  machine: Machine,
  providerID: string,
): Promise<readonly Machine[]> {
  const values = [`${workloadCluster(clusterKeyOf(machine))}|${providerID}`];
  const machines = await read.list(Machine, { index: { name: "providerID", values } });
  return machines.filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
}

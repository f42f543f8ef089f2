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
): Promise<Pick<NodeFacts, "connection" | "nodes" | "rivals">> {
  const key = clusterKeyOf(machine);
  const connection = await read.get(Connection, key);
  if (!isCompleteView(connection)) return { connection, nodes: undefined, rivals: [] };
  if (providerID === undefined) return { connection, nodes: [], rivals: [] };
  const [nodes, rivals] = await Promise.all([
    read.list(Node, { index: { name: "providerID", values: [providerID] } }, workloadCluster(key)),
    readRivals(read, machine, providerID),
  ]);
  return { connection, nodes, rivals };
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

/** The Node of `nodeRef`; `undefined` also without a complete view of the workload cluster. */
export async function readNodeOf(
  read: Pick<Reader, "get">,
  machine: Machine,
  connection: Connection | undefined,
): Promise<Node | undefined> {
  const { name } = machine.status?.nodeRef ?? {};
  return name === undefined || !isCompleteView(connection)
    ? undefined
    : read.get(Node, { namespace: "", name }, workloadCluster(clusterKeyOf(machine)));
}

/** Set and MachineDeployment of a Machine; `undefined` unless it has both. */
export async function readRollout(read: Reader, machine: Machine): Promise<Rollout | undefined> {
  const set = await readOwner(MachineSet, machine, read);
  const deployment = set === undefined ? undefined : await readOwner(MachineDeployment, set, read);
  return set === undefined || deployment === undefined ? undefined : { set, deployment };
}

import { Connection, Node } from "../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { type KubeObject, workloadCluster } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { readString } from "../../../shared/contract/fields.ts";
import { infraMachinePath } from "../../../shared/contract/infra-machine.ts";
import { clusterKeyOf } from "../../../shared/function/guards.ts";
import type { LiveReader, Reader } from "../../../shared/function/reads.ts";
import {
  type MachineProviders,
  readMachineProviders,
} from "../../../shared/rules/providers/machine-providers.ts";
import { isCompleteView } from "../../../shared/rules/workload/complete-view.ts";
import { readNodesLive } from "../../../shared/rules/workload/read-nodes-live.ts";
import type { InfraMachines } from "./machines.ts";
import { belongsElsewhere, isContested, type Rivals, rivalsAmong } from "./node-marks.ts";
import { isRefTo } from "./nodes.ts";

/** The fields by which the provider objects of a pool are found. */
export const TEMPLATE_REFERENCE_FIELDS = [
  "spec.template.spec.bootstrap.configRef",
  "spec.template.spec.infrastructureRef",
] as const;
/** The field of a Connection that `isConnected` reads. */
export const CONNECTED_FIELDS = ["status.state"] as const;
/** The fields by which the Nodes of a pool are found. */
export const NODE_FIELDS = ["metadata.uid", "spec.providerID"] as const;

/** Reads bootstrap and infrastructure object, from snapshots or, given `read.live`, from the API server. */
export function readProviders(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: MachinePool,
): Promise<MachineProviders> {
  return readMachineProviders(read, spec.template.spec, metadata.namespace);
}

/** Whether the workload cluster answers; what is known of it may still be incomplete. */
export async function isConnected(read: Pick<Reader, "get">, pool: MachinePool): Promise<boolean> {
  const connection = await read.get(Connection, clusterKeyOf(pool));
  return connection?.status.state === "connected";
}

/** Whether snapshots show all of the workload cluster: only then is the absence of a Node a fact. */
export async function hasCompleteView(read: Pick<Reader, "get">, pool: MachinePool): Promise<boolean> {
  return isCompleteView(await read.get(Connection, clusterKeyOf(pool)));
}

/** Returns why the view of the workload cluster is not complete, as far as it is known. */
export async function readUnseen(read: Pick<Reader, "get">, pool: MachinePool): Promise<string | undefined> {
  const connection = await read.get(Connection, clusterKeyOf(pool));
  return connection?.status.nodesComplete === true ? undefined : connection?.status.message;
}

/** The Nodes that a pool lists or names in its refs; `undefined` without a complete view of the workload cluster. */
export async function readNodes(read: Reader, pool: MachinePool): Promise<readonly Node[] | undefined> {
  if (!(await hasCompleteView(read, pool))) return undefined;
  const cluster = workloadCluster(clusterKeyOf(pool));
  const index = { name: "providerID", values: pool.spec.providerIDList ?? [] };
  const listed = await read.list(Node, { index }, cluster);
  const known = new Set(listed.map((node) => node.metadata.name));
  const names = (pool.status?.nodeRefs ?? []).flatMap(({ name }) =>
    name === undefined || known.has(name) ? [] : [name],
  );
  const referenced = await Promise.all(names.map((name) => read.get(Node, { namespace: "", name }, cluster)));
  return [...listed, ...referenced.filter((node) => node !== undefined)];
}

/** Reads other pools of the Cluster that list the provider ID of one of these Nodes. */
export async function readRivals(
  read: Pick<Reader, "list">,
  pool: MachinePool,
  nodes: readonly Node[],
): Promise<Rivals> {
  const providerIDs = nodes.flatMap(({ spec }) => spec?.providerID ?? []);
  const cluster = workloadCluster(clusterKeyOf(pool));
  const values = providerIDs.map((providerID) => `${cluster}|${providerID}`);
  const pools = await read.list(MachinePool, { index: { name: "providerID", values } });
  return rivalsAmong(pools.filter(({ metadata }) => metadata.uid !== pool.metadata.uid));
}

/**
 * The same from the API server, before a Node is deleted: a snapshot may not know yet of a pool that has taken an
 * instance over. Pools that no run has labelled yet are not among them, and list nothing that a run of theirs
 * has found.
 */
export async function readRivalsLive(
  live: LiveReader,
  pool: MachinePool,
  nodes: readonly Node[],
): Promise<Rivals> {
  if (nodes.length === 0) return rivalsAmong([]);
  const { namespace, name } = clusterKeyOf(pool);
  const pools = await live.list(MachinePool, { namespace, labelSelector: `${CLUSTER_NAME_LABEL}=${name}` });
  return rivalsAmong(pools.filter(({ metadata }) => metadata.uid !== pool.metadata.uid));
}

/**
 * Reads other pools that list a Node which this pool names and no longer lists. Once snapshots show one, the API server
 * is asked: by snapshots of different ages two pools could each leave the Node to the other, and no pool would retire
 * it.
 */
export async function readTakers(
  read: Reader,
  pool: MachinePool,
  nodes: readonly Node[] | undefined,
): Promise<Rivals> {
  const listed = new Set(pool.spec.providerIDList);
  const left = nodes?.filter(({ spec }) => !listed.has(spec?.providerID ?? "")) ?? [];
  if (left.length === 0) return rivalsAmong([]);
  const shown = await readRivals(read, pool, left);
  return left.some((node) => isContested(node, shown)) ? readRivalsLive(read.live, pool, left) : shown;
}

/** The Nodes behind a pool's refs as the workload cluster has them, without those of another pool. */
export async function readLiveNodes(read: Reader, pool: MachinePool): Promise<readonly Node[]> {
  const cluster = workloadCluster(clusterKeyOf(pool));
  const refs = new Map((pool.status?.nodeRefs ?? []).map((ref) => [ref.name ?? "", ref]));
  refs.delete("");
  const nodes = (await readNodesLive(read.live, [...refs.keys()], cluster)).filter((node) => {
    const ref = refs.get(node.metadata.name);
    return ref !== undefined && isRefTo(ref, node);
  });
  const rivals = await readRivalsLive(read.live, pool, nodes);
  return nodes.filter((node) => !belongsElsewhere(pool, node, rivals));
}

/** Returns the versions of kubelets by infrastructure machine; nothing is known without a complete view of the workload cluster. */
export async function readKubeletVersions(
  read: Reader,
  pool: MachinePool,
  { kind, objects }: InfraMachines,
): Promise<(infraMachine: KubeObject) => string | undefined> {
  if (!(await hasCompleteView(read, pool))) return () => undefined;
  const path = infraMachinePath(kind.contract, "providerID");
  const providerIDOf = (infraMachine: KubeObject) => readString(infraMachine, path).value ?? "";
  const values = objects.map(providerIDOf).filter((providerID) => providerID !== "");
  const nodes = await read.list(
    Node,
    { index: { name: "providerID", values } },
    workloadCluster(clusterKeyOf(pool)),
  );
  const versions = new Map(
    nodes.map(({ spec, status }) => [spec?.providerID, status?.nodeInfo?.kubeletVersion || undefined]),
  );
  return (infraMachine) => versions.get(providerIDOf(infraMachine));
}

import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { type HandlingFacts, type NodeHandling, nodeHandling } from "./node-handling.ts";
import { clusterKeyOf } from "./reads.ts";

/** Reads what `nodeHandling` asks, from snapshots; nothing of the control plane where the Cluster alone decides. */
export async function readHandlingFacts(
  read: Pick<Reader, "referenced" | "list">,
  machine: Machine,
  cluster: Cluster | undefined,
): Promise<HandlingFacts> {
  const alone: HandlingFacts = { cluster, controlPlane: undefined, controlPlaneMachines: [] };
  if (cluster === undefined || isDeleting(cluster) || machine.status?.nodeRef === undefined) return alone;
  const [controlPlane, controlPlaneMachines] = await Promise.all([
    readControlPlane(read, cluster),
    read.list(Machine, { index: { name: "controlPlane", values: [indexValue(machine)] } }),
  ]);
  return { cluster, controlPlane, controlPlaneMachines };
}

/** The same and its verdict. */
export async function readHandling(
  read: Pick<Reader, "referenced" | "list">,
  machine: Machine,
  cluster: Cluster | undefined,
): Promise<NodeHandling> {
  return nodeHandling(machine, await readHandlingFacts(read, machine, cluster));
}

async function readControlPlane(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Cluster,
): Promise<Referenced | undefined> {
  return spec.controlPlaneRef === undefined
    ? undefined
    : read.referenced(spec.controlPlaneRef, metadata.namespace ?? "");
}

function indexValue(machine: Machine): string {
  const { namespace, name } = clusterKeyOf(machine);
  return `${namespace}/${name}|${name}`;
}

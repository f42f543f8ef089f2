import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, CONTROL_PLANE_LABEL } from "../../../shared/api/indexes.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { clusterKeyOf, isDeleting } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { readNodes } from "../../../shared/rules/machines/node-of-machine.ts";
import { readControlPlane } from "../../../shared/rules/providers/read-control-plane.ts";
import { knownProviderID } from "./infrastructure.ts";
import { type HandlingFacts, type NodeHandling, nodeHandling } from "./node-handling.ts";

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

function indexValue(machine: Machine): string {
  const { namespace, name } = clusterKeyOf(machine);
  return `${namespace}/${name}|${name}`;
}

/**
 * Returns the field that has to change before a denial counts, or `undefined` when it counts: a Cluster that is gone and
 * the last control plane Machine by the API server, a missing `nodeRef` once the view of the workload cluster shows no
 * Node that it could name. Without a complete view it counts: a Machine that never had a `nodeRef` could wait for ever.
 * `machine` and its infrastructure machine were read live.
 */
export async function unprovenDenial(
  read: Reader,
  machine: Machine,
  facts: HandlingFacts & { readonly infrastructure: Referenced },
): Promise<string | undefined> {
  const handling = nodeHandling(machine, facts);
  if (handling.state !== "denied") return undefined;
  switch (handling.by) {
    case "ClusterGone": {
      const live = await read.live.get(Cluster, clusterKeyOf(machine));
      return live === undefined ? undefined : "Cluster.metadata.uid";
    }
    case "NoNodeRef":
      return (await hasNode(read, machine, facts.infrastructure)) ? "Machine.status.nodeRef" : undefined;
    case "NoControlPlaneMachine":
      return (await isDeniedLive(read, machine, facts)) ? undefined : "Machine.metadata.deletionTimestamp";
    // Neither a Cluster nor a control plane object comes back once it is being deleted.
    case "ClusterDeleting":
    case "ControlPlaneDeleting":
      return undefined;
    default:
      return handling.by satisfies never;
  }
}

async function isDeniedLive(read: Reader, machine: Machine, { cluster }: HandlingFacts): Promise<boolean> {
  const { namespace, name } = clusterKeyOf(machine);
  const labelSelector = `${CLUSTER_NAME_LABEL}=${name},${CONTROL_PLANE_LABEL}`;
  const [controlPlane, controlPlaneMachines] = await Promise.all([
    cluster === undefined ? undefined : readControlPlane(read.live, cluster),
    read.live.list(Machine, { namespace, labelSelector }),
  ]);
  return nodeHandling(machine, { cluster, controlPlane, controlPlaneMachines }).state === "denied";
}

/**
 * Whether a Node is the Machine's and `machine-status` is about to say so: one Node and one Machine of a provider ID,
 * which the Machine may not have copied from its infrastructure machine before it was deleted.
 */
async function hasNode(read: Reader, machine: Machine, infrastructure: Referenced): Promise<boolean> {
  const { nodes = [], rivals } = await readNodes(read, machine, knownProviderID(machine, infrastructure));
  return nodes.length === 1 && rivals.length === 0;
}

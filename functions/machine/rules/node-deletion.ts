import { Connection, Node } from "../../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Decision } from "../../../shared/function/define-function.ts";
import { KubeError, WaitingError } from "../../../shared/function/errors.ts";
import { clusterKeyOf, isDeleting } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { readRenamed, readRivals } from "../../../shared/rules/machines/node-of-machine.ts";

/** The field that says how long the deletion of a Node is tried. */
export const NODE_TIMEOUT_FIELDS = ["spec.deletion.nodeDeletionTimeoutSeconds"] as const;

/** Answer of the workload cluster about the Node of a Machine whose instance is gone. */
export type NodeLeft =
  | { readonly state: "gone" }
  /** A Node of that name that is not the Machine's. */
  | { readonly state: "kept"; readonly message: string }
  | { readonly state: "own"; readonly node: Node }
  /** It has no provider ID yet, or the server does not show it. */
  | { readonly state: "unknown"; readonly message: string }
  | { readonly state: "disconnected"; readonly message: string };

/**
 * The Node of `nodeRef`, live, or where that is gone the one that its kubelet has registered under another name. A name may
 * be used again by a new instance, so the provider ID decides whose it is.
 * Differs: upstream deletes whatever Node has the name.
 */
export async function readNodeLeft(read: Reader, machine: Machine): Promise<NodeLeft> {
  const name = machine.status?.nodeRef?.name;
  if (name === undefined) return GONE;
  const key = clusterKeyOf(machine);
  const connection = await read.get(Connection, key);
  if (connection?.status.state !== "connected") return disconnected(connection?.status.message);
  try {
    const node = await read.live.get(Node, { namespace: "", name }, workloadCluster(key));
    const left = node === undefined ? GONE : await judged(read, machine, node);
    return left.state === "gone" || left.state === "kept" ? await renamedLeft(read, machine, left) : left;
  } catch (error) {
    if (error instanceof WaitingError) return disconnected(error.what);
    if (error instanceof KubeError) return { state: "unknown", message: error.message };
    throw error;
  }
}

const GONE: NodeLeft = { state: "gone" };

/** Looks for the Node under another name; `otherwise` where there is none. */
async function renamedLeft(read: Reader, machine: Machine, otherwise: NodeLeft): Promise<NodeLeft> {
  const renamed = await readRenamed(read, machine);
  if (renamed === undefined) return otherwise;
  const key = { namespace: "", name: renamed.metadata.name };
  const node = await read.live.get(Node, key, workloadCluster(clusterKeyOf(machine)));
  return node === undefined ? otherwise : judged(read, machine, node);
}

function disconnected(message: string | undefined): NodeLeft {
  return { state: "disconnected", message: message ?? "The workload cluster is not connected" };
}

async function judged(read: Reader, machine: Machine, node: Node): Promise<NodeLeft> {
  const { name } = node.metadata;
  const { providerID = "" } = node.spec ?? {};
  if (providerID === "") return { state: "unknown", message: `Node ${name} has no provider ID yet` };
  if (!isOfMachine(machine, node)) {
    return {
      state: "kept",
      message: `Node ${name} is left: it has provider ID ${providerID} and is another instance`,
    };
  }
  const other = (await readRivals(read, machine, providerID)).find((rival) => !isDeleting(rival));
  return other === undefined
    ? { state: "own", node }
    : {
        state: "kept",
        message: `Node ${name} is left to Machine ${other.metadata.name}, which has its provider ID, too`,
      };
}

/** A Machine that was deleted before it had its provider ID knows its Node by the instance that the kubelet reports. */
function isOfMachine({ spec, status }: Machine, node: Node): boolean {
  if (spec.providerID !== undefined) return node.spec?.providerID === spec.providerID;
  const { systemUUID = "" } = status?.nodeInfo ?? {};
  return systemUUID !== "" && node.status?.nodeInfo?.systemUUID === systemUUID;
}

/** A refused deletion is tried again after this time: no event says when it would succeed. */
const RETRY_MS = 2 * SECOND;

/**
 * Deletes the Node and does what `released` says, in one run: a Node that cannot be deleted keeps the Machine until the
 * timeout. One attempt is made even after it.
 */
export function deleteNode(
  machine: Machine,
  left: NodeLeft,
  { released, now }: { readonly released: Decision<Machine, never>; readonly now: Date },
): Decision<Machine, never> {
  const remainingMs = remainingTime(machine, now);
  const reason = "FailedDeleteNode";
  switch (left.state) {
    case "gone":
      return released;
    case "kept":
      return {
        ...released,
        events: [{ type: "Normal", reason: "NodeHandlingSkipped", message: left.message }],
      };
    case "own": {
      if (isDeleting(left.node)) return released;
      const target = refTo(Node, left.node, workloadCluster(clusterKeyOf(machine)));
      const ifFails = { event: reason, ...(remainingMs > 0 ? { againAfterMs: RETRY_MS } : {}) };
      return { ...released, delete: [{ target, ifFails }] };
    }
    case "unknown":
    case "disconnected": {
      const events = [
        { type: "Warning", reason, message: `error deleting Machine's Node: ${left.message}` },
      ] as const;
      if (remainingMs <= 0) return { ...released, events };
      if (left.state === "unknown") {
        return { events, result: requeueAfter(Math.min(RETRY_MS, remainingMs), left.message) };
      }
      return remainingMs === Number.POSITIVE_INFINITY
        ? { result: waitFor("Connection.status.state") }
        : { result: requeueAfter(remainingMs, "the node deletion timeout") };
    }
    default:
      return left satisfies never;
  }
}

/** Returns the time until the deletion of the Node is given up; infinite without a timeout. */
function remainingTime({ metadata, spec }: Machine, now: Date): number {
  const timeoutSeconds = spec.deletion?.nodeDeletionTimeoutSeconds ?? 0;
  if (timeoutSeconds === 0 || metadata.deletionTimestamp === undefined) return Number.POSITIVE_INFINITY;
  return Date.parse(metadata.deletionTimestamp) + timeoutSeconds * SECOND - now.getTime();
}

import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Node, NodeInfo } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine, MachineStatus } from "../../../shared/api/machine/machine.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import {
  compareText,
  condition,
  conditionOf,
  type DesiredCondition,
  timestamp,
} from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import type { NodesOfMachine } from "../../../shared/rules/machines/node-of-machine.ts";
import { NODE_CONDITION_FIELDS, nodeConditions } from "./node-conditions.ts";

/** The fields of a Node that `nodeReport` reads. */
export const NODE_REPORT_FIELDS = [
  "metadata.uid",
  "spec.providerID",
  "status.nodeInfo",
  ...NODE_CONDITION_FIELDS,
] as const;
/** The fields of other Machines that `nodeReport` reads. */
export const RIVAL_FIELDS = ["metadata.uid", "spec.providerID", "status.nodeRef.name"] as const;
/** The fields of a Cluster that `nodeReport` reads. */
export const NODE_CLUSTER_FIELDS = [
  "status.initialization.infrastructureProvisioned",
  "status.conditions[ControlPlaneInitialized]",
] as const;

/** How long the Node conditions stay after the last successful probe. It must exceed the 50 s of the Cluster's own. */
const GRACE_MS = 5 * MINUTE;
/** Failed attempts after which a connection that never worked is a connection that is down. */
const MAX_FAILURES = 5;
const NOT_YET = "Remote connection not established yet";
const MAX_NAMES = 3;

/** Everything about the workload cluster that the status of a Machine is computed from. */
export interface NodeFacts extends NodesOfMachine {
  readonly machine: Machine;
  readonly cluster: Cluster;
  readonly now: Date;
}

/** The Node of a Machine as its status shows it. */
export interface NodeReport {
  /** The one that was found; `undefined` also where two claim the ID. */
  readonly node: Node | undefined;
  readonly nodeRef: MachineStatus["nodeRef"];
  readonly nodeInfo: MachineStatus["nodeInfo"];
  readonly conditions: readonly DesiredCondition[];
  /** When the conditions no longer stay as they are. */
  readonly expiresInMs?: number | undefined;
}

/** Returns `nodeRef`; `nodeInfo`, as new as the view; `NodeReady` and `NodeHealthy`: first match. */
export function nodeReport(facts: NodeFacts): NodeReport {
  const { machine, nodes = [] } = facts;
  const [node] = nodes.length === 1 && !isContested(facts) ? nodes : [];
  const finding = findingOf(facts, node);
  return {
    node,
    nodeRef: nodeRefOf(facts, node),
    nodeInfo: node?.status?.nodeInfo === undefined ? machine.status?.nodeInfo : infoOf(node.status.nodeInfo),
    ...("node" in finding ? { conditions: nodeConditions(finding.node) } : both(machine, finding)),
  };
}

/**
 * Differs: follows a Node whose kubelet registers again under another name, unless another Machine names that one;
 * upstream keeps the first name for ever, and neither drains nor deletes the Node.
 */
function nodeRefOf({ machine, namers = [] }: NodeFacts, node: Node | undefined): MachineStatus["nodeRef"] {
  const known = machine.status?.nodeRef;
  if (node === undefined || (known !== undefined && namers.length > 0)) return known;
  return { name: node.metadata.name };
}

/** Two Machines claim the Node: it stays with the one that has named it alone. */
function isContested({
  machine,
  nodes: [node] = [],
  rivals,
}: Pick<NodeFacts, "machine" | "nodes" | "rivals">): boolean {
  const names = (one: Machine) => one.status?.nodeRef?.name === node?.metadata.name;
  return rivals.length > 0 && !(names(machine) && !rivals.some(names));
}

/** One word and one text for both conditions. `keep`: those that are there stay. */
interface Statement {
  readonly status: "False" | "Unknown";
  readonly reason:
    | "NodeDeleted"
    | "NodeDoesNotExist"
    | "InspectionFailed"
    | "ConnectionDown"
    | "InternalError";
  readonly message: string;
  readonly keep?: boolean;
  readonly expiresInMs?: number;
}

function findingOf(facts: NodeFacts, node: Node | undefined): Statement | { readonly node: Node } {
  const waiting = clusterStatement(facts.cluster) ?? connectionStatement(facts);
  if (waiting !== undefined) return waiting;
  return node === undefined ? absence(facts) : { node };
}

function clusterStatement({ status }: Cluster): Statement | undefined {
  if (status?.initialization?.infrastructureProvisioned !== true)
    return inspection("Waiting for Cluster status.initialization.infrastructureProvisioned to be true");
  return conditionOf(status.conditions, "ControlPlaneInitialized")?.status === "True"
    ? undefined
    : inspection("Waiting for Cluster control plane to be initialized");
}

/** Returns the word of a connection that does not show the Nodes as they are; `undefined`: it shows them. */
function connectionStatement({ cluster, connection, nodes, now }: NodeFacts): Statement | undefined {
  if (nodes !== undefined) return undefined;
  const { state = "unknown", message, lastSuccess, failures = 0 } = connection?.status ?? {};
  // Without a failure the view is incomplete for as long as the reason stands.
  if (state === "connected" && message !== undefined && failures === 0)
    return { status: "Unknown", reason: "InternalError", message };
  if (state === "connected") return { ...down(NOT_YET), keep: true };
  const text =
    lastSuccess === undefined ? NOT_YET : `Last successful probe at ${timestamp(new Date(lastSuccess))}`;
  const reported = message === undefined ? text : `${text}: ${message}`;
  if (lastSuccess === undefined && failures < MAX_FAILURES) return { ...down(reported), keep: true };
  const initialized = conditionOf(cluster.status?.conditions, "ControlPlaneInitialized");
  const instants = [lastSuccess, initialized?.lastTransitionTime].map((at) => Date.parse(at ?? ""));
  const since = Math.max(0, ...instants.filter((at) => !Number.isNaN(at)));
  const expiresInMs = since + GRACE_MS - now.getTime();
  return expiresInMs > 0 ? { ...down(reported), keep: true, expiresInMs } : down(reported);
}

/** The view is complete and shows no Node, or one that cannot be attributed. */
function absence(facts: NodeFacts): Statement {
  const { machine } = facts;
  const { nodeRef } = machine.status ?? {};
  const twice = claimedTwice(facts);
  if (twice !== undefined) return { status: "Unknown", reason: "InternalError", message: twice };
  if (nodeRef !== undefined) {
    const when = isDeleting(machine) ? "" : " while the Machine still exists";
    return {
      status: "False",
      reason: "NodeDeleted",
      message: `Node ${nodeRef.name} has been deleted${when}`,
    };
  }
  if (isDeleting(machine))
    return { status: "Unknown", reason: "NodeDoesNotExist", message: "Node does not exist" };
  const { providerID, infrastructureRef } = machine.spec;
  return inspection(
    providerID === undefined
      ? `Waiting for ${infrastructureRef.kind} to report spec.providerID`
      : `Waiting for a Node with spec.providerID ${providerID} to exist`,
  );
}

/** Returns which Nodes or Machines have one and the same provider ID, with what to do; `undefined`: none. */
export function claimedTwice(facts: Pick<NodeFacts, "machine" | "nodes" | "rivals">): string | undefined {
  const { machine, nodes = [], rivals } = facts;
  const providerID = nodes[0]?.spec?.providerID ?? machine.spec.providerID;
  if (nodes.length > 1)
    return `${together("Nodes", nodes)} have the same provider ID ${providerID}; delete all but one`;
  return rivals.length > 0 && isContested(facts)
    ? `${together("Machines", [machine, ...rivals])} have the same provider ID ${providerID}; only one of them can have the Node`
    : undefined;
}

function together(kind: string, objects: readonly KubeObject[]): string {
  const names = objects.map(({ metadata }) => metadata.name).sort(compareText);
  return `${kind} ${listNames(names, MAX_NAMES)}`;
}

function inspection(message: string): Statement {
  return { status: "Unknown", reason: "InspectionFailed", message };
}

function down(message: string): Statement {
  return { status: "Unknown", reason: "ConnectionDown", message };
}

function both(
  { status: stored }: Machine,
  { keep = false, status, reason, message, expiresInMs }: Statement,
): Pick<NodeReport, "conditions" | "expiresInMs"> {
  const conditions = ["NodeReady", "NodeHealthy"].map((type) => {
    const present = keep ? conditionOf(stored?.conditions, type) : undefined;
    return present === undefined
      ? condition(type, status, reason, message)
      : condition(type, present.status, present.reason, present.message);
  });
  return { conditions, expiresInMs };
}

/** The schema needs all ten. */
function infoOf(info: NodeInfo): MachineStatus["nodeInfo"] {
  return {
    architecture: info.architecture ?? "",
    bootID: info.bootID ?? "",
    containerRuntimeVersion: info.containerRuntimeVersion ?? "",
    kernelVersion: info.kernelVersion ?? "",
    kubeProxyVersion: info.kubeProxyVersion ?? "",
    kubeletVersion: info.kubeletVersion ?? "",
    machineID: info.machineID ?? "",
    operatingSystem: info.operatingSystem ?? "",
    osImage: info.osImage ?? "",
    systemUUID: info.systemUUID ?? "",
  };
}

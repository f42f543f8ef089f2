import type { Node } from "../../../shared/api/core.ts";
import type { MachinePool, NodeRef } from "../../../shared/api/machinepool.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Rivals } from "./node-marks.ts";

/** The limit of `status.nodeRefs`. */
const MAX_REFS = 10_000;

/** The fields of a Node that `nodeReport` reads. */
export const NODE_REPORT_FIELDS = [
  "metadata.uid",
  "spec.providerID",
  "status.conditions[Ready].status",
  "status.conditions[Ready].lastTransitionTime",
] as const;

/** The Nodes of a pool as its status shows them. */
export interface NodeReport {
  /** The refs in the order of `spec.providerIDList`; refs of Nodes that are still being retired last, uncounted. */
  readonly nodeRefs: readonly NodeRef[];
  /** Nodes behind `nodeRefs` without the retired ones; absent when the previous refs and counts are kept. */
  readonly matched?: readonly Node[];
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  /** When the next Ready Node has been so for `minReadySeconds`. */
  readonly nextExpiryAt?: Date | undefined;
  /** Provider IDs that more than one Node claims. */
  readonly claimedTwice: readonly string[];
}

/**
 * `nodes` are those of `readNodes`, `rivals` those of `readTakers`. The previous refs and counts are kept without a
 * complete view, with an empty list while replicas are wanted, and when no Node matches at all: stale but safe.
 */
export function nodeReport(
  pool: MachinePool,
  nodes: readonly Node[] | undefined,
  now: Date,
  rivals: Rivals = new Map(),
): NodeReport {
  const { providerIDList = [], replicas } = pool.spec;
  if (nodes === undefined || (providerIDList.length === 0 && replicas !== 0)) return kept(pool);
  const { byProviderID, claimedTwice } = indexNodes(nodes);
  const matched = [...new Set(providerIDList)].flatMap((providerID) => byProviderID.get(providerID) ?? []);
  if (matched.length === 0 && providerIDList.length > 0) return kept(pool);

  const minReadyMs = (pool.spec.template.spec.minReadySeconds ?? 0) * SECOND;
  const ready = matched.filter(isReady);
  const availableAt = ready.map((node) => availableFrom(node, minReadyMs));
  const pending = availableAt.filter((at) => at >= now.getTime() && Number.isFinite(at));
  const remaining = nodes.filter((node) => !isTaken(node, rivals));
  return {
    nodeRefs: [...matched.map(refOf), ...outliving(pool, matched, remaining)].slice(0, MAX_REFS),
    matched,
    readyReplicas: ready.length,
    availableReplicas: availableAt.filter((at) => at < now.getTime()).length,
    nextExpiryAt: pending.length === 0 ? undefined : new Date(Math.min(...pending) + 1),
    claimedTwice,
  };
}

function kept(pool: MachinePool): NodeReport {
  const counters = pool.status?.deprecated?.v1beta1;
  return {
    nodeRefs: pool.status?.nodeRefs ?? [],
    readyReplicas: counters?.readyReplicas ?? 0,
    availableReplicas: counters?.availableReplicas ?? 0,
    claimedTwice: [],
  };
}

/** Indexes the Nodes by provider ID; of several with one ID the Ready one counts, then the younger, then by name. */
function indexNodes(nodes: readonly Node[]): {
  readonly byProviderID: ReadonlyMap<string, Node>;
  readonly claimedTwice: readonly string[];
} {
  const byProviderID = new Map<string, Node>();
  const claimedTwice = new Set<string>();
  for (const node of nodes) {
    const providerID = node.spec?.providerID ?? "";
    if (providerID === "") continue;
    const rival = byProviderID.get(providerID);
    if (rival !== undefined) claimedTwice.add(providerID);
    if (rival === undefined || precedes(node, rival)) byProviderID.set(providerID, node);
  }
  return { byProviderID, claimedTwice: [...claimedTwice].sort(compareText) };
}

function precedes(a: Node, b: Node): boolean {
  if (isReady(a) !== isReady(b)) return isReady(a);
  const byAge = compareText(b.metadata.creationTimestamp ?? "", a.metadata.creationTimestamp ?? "");
  return (byAge || compareText(a.metadata.name, b.metadata.name)) < 0;
}

function readyConditionOf(node: Node) {
  return node.status?.conditions?.find(({ type }) => type === "Ready");
}

export function isReady(node: Node): boolean {
  return readyConditionOf(node)?.status === "True";
}

/** The node is available *after* this instant in milliseconds; never without the time it became Ready. */
function availableFrom(node: Node, minReadyMs: number): number {
  if (minReadyMs === 0) return Number.NEGATIVE_INFINITY;
  const readySince = Date.parse(readyConditionOf(node)?.lastTransitionTime ?? "");
  return Number.isNaN(readySince) ? Number.POSITIVE_INFINITY : readySince + minReadyMs;
}

function refOf({ metadata: { name, uid } }: Node): NodeRef {
  return { apiVersion: "v1", kind: "Node", name, uid };
}

/** Whether another pool lists the instance and names the Node, so that no Node is left that no pool retires. */
function isTaken(node: Node, rivals: Rivals): boolean {
  const takers = rivals.get(node.spec?.providerID ?? "") ?? [];
  return takers.some(({ status }) => status?.nodeRefs?.some((ref) => isRefTo(ref, node)));
}

/**
 * Previous refs without a place in the list whose Node still exists. They are forgotten only once it is gone or
 * another pool has it; that other pool keeps it from being retired, so such a ref would stay for ever.
 * Differs: upstream deletes such Nodes in the same pass, those of another pool, too, and names none of them.
 */
function outliving(pool: MachinePool, matched: readonly Node[], nodes: readonly Node[]): readonly NodeRef[] {
  const unplaced = new Map(nodes.map((node) => [node.metadata.name, node]));
  for (const { metadata } of matched) unplaced.delete(metadata.name);
  return (pool.status?.nodeRefs ?? []).filter((ref) => {
    const node = unplaced.get(ref.name ?? "");
    return node !== undefined && isRefTo(ref, node);
  });
}

/** Whether a ref means this very Node; a ref without uid means whatever has the name. */
export function isRefTo(ref: NodeRef, node: Node): boolean {
  return ref.name === node.metadata.name && (ref.uid === undefined || ref.uid === node.metadata.uid);
}

import type { KubeObject } from "../../../shared/api/kinds.ts";
import { groupOf, objectKeyOf } from "../../../shared/api/kinds.ts";
import { DaemonSet, type Pod } from "../../../shared/api/workload.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { type Blocked, type DrainBehaviour, isBlocked, type PodRules } from "./drain-rules.ts";

/** The annotation on Pods that a kubelet runs from a file: only the kubelet can end them. */
const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";
const DRAIN_LABEL = "cluster.x-k8s.io/drain";
/** The fields of a Pod that the drain reads, beside its labels, owners and deletion. */
export const POD_FIELDS = [
  `metadata.annotations[${MIRROR_ANNOTATION}]`,
  "spec.nodeName",
  "status.phase",
] as const;

/** A kubelet that does not answer never confirms that a Pod has ended. */
const UNREACHABLE_PATIENCE_MS = SECOND;

/** Everything that decides about the Pods of a Node. */
export interface DrainFacts {
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly KubeObject[];
  readonly namespaces: readonly KubeObject[];
  readonly rules: PodRules;
  /** The kubelet has not answered for long: the Node's `Ready` is Unknown. */
  readonly unreachable: boolean;
  readonly now: Date;
}

/** The Pods that have to leave a Node before it is drained, by what is awaited of them; each list by namespace and name. */
export interface DrainPlan {
  /** Being deleted, and not gone yet. */
  readonly deleting: readonly Pod[];
  readonly evictNow: readonly Pod[];
  readonly evictLater: readonly Pod[];
  readonly waitNow: readonly Pod[];
  readonly waitLater: readonly Pod[];
  /** They stay, and so do their volumes. */
  readonly skipped: readonly Pod[];
}

interface Classified {
  readonly pod: Pod;
  readonly behaviour: DrainBehaviour;
}

/**
 * Decides about every Pod of a Node. Only the lowest order is evicted or waited for now; a Pod that is being deleted
 * counts until it has left.
 */
export function drainPlan(facts: DrainFacts): DrainPlan | Blocked {
  const behaviourOf = classifier(facts);
  const all: Classified[] = [];
  for (const pod of facts.pods.toSorted((a, b) => compareText(podName(a), podName(b)))) {
    const behaviour = behaviourOf(pod);
    if (isBlocked(behaviour)) return behaviour;
    all.push({ pod, behaviour });
  }
  const orders = all.flatMap(({ behaviour }) => (behaviour.type === "skip" ? [] : [behaviour.order]));
  const lowest = orders.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const pick = (isPicked: (one: Classified) => boolean) => all.filter(isPicked).map(({ pod }) => pod);
  const isNow = ({ behaviour }: Classified) => behaviour.type !== "skip" && behaviour.order === lowest;
  const isOf = (type: DrainBehaviour["type"]) => (one: Classified) => one.behaviour.type === type;
  const [evicted, waited] = [isOf("evict"), isOf("wait")];
  const toEvict = (one: Classified) => evicted(one) && !isDeleting(one.pod);
  return {
    deleting: pick((one) => evicted(one) && isDeleting(one.pod)),
    evictNow: pick((one) => toEvict(one) && isNow(one)),
    evictLater: pick((one) => toEvict(one) && !isNow(one)),
    waitNow: pick((one) => waited(one) && isNow(one)),
    waitLater: pick((one) => waited(one) && !isNow(one)),
    skipped: pick(isOf("skip")),
  };
}

/** Whether no Pod is left that has to leave. */
export function isEmpty({ deleting, evictNow, evictLater, waitNow, waitLater }: DrainPlan): boolean {
  return [deleting, evictNow, evictLater, waitNow, waitLater].every(({ length }) => length === 0);
}

/** Returns the name of a Pod for people: `namespace/name`. */
export function podName({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** The first filter that decides wins. */
function classifier(facts: DrainFacts): (pod: Pod) => DrainBehaviour | Blocked {
  const daemonSets = new Set(facts.daemonSets.map(podName));
  const namespaces = new Map(facts.namespaces.map((one) => [objectKeyOf(one).name, one]));
  return (pod) => {
    if (facts.unreachable && isLongDeleted(pod, facts.now)) return SKIP;
    if (isOfDaemonSet(pod, daemonSets) || isMirror(pod)) return SKIP;
    const labelled = labelledBehaviour(pod);
    if (labelled !== undefined) return labelled;
    const namespace = namespaces.get(pod.metadata.namespace ?? "");
    if (namespace === undefined) {
      return { problem: `Pod ${podName(pod)} is in a Namespace that does not exist; delete the Pod` };
    }
    return facts.rules.behaviourOf(pod, namespace) ?? EVICT;
  };
}

const SKIP: DrainBehaviour = { type: "skip" };
const EVICT: DrainBehaviour = { type: "evict", order: 0 };

function isLongDeleted({ metadata }: Pod, now: Date): boolean {
  return now.getTime() - Date.parse(metadata.deletionTimestamp ?? "") > UNREACHABLE_PATIENCE_MS;
}

/** A DaemonSet would make the Pod again at once. One that is gone does not, and a Pod that has ended is only left over. */
function isOfDaemonSet(pod: Pod, daemonSets: ReadonlySet<string>): boolean {
  const controller = controllerOf(pod);
  if (controller?.kind !== DaemonSet.kind || groupOf(controller.apiVersion) !== DaemonSet.group) return false;
  const phase = pod.status?.phase;
  const hasEnded = phase === "Succeeded" || phase === "Failed";
  return !hasEnded && daemonSets.has(`${pod.metadata.namespace ?? ""}/${controller.name}`);
}

function isMirror({ metadata }: Pod): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, MIRROR_ANNOTATION);
}

/** Unknown values of the label are ignored. */
function labelledBehaviour({ metadata }: Pod): DrainBehaviour | undefined {
  switch (metadata.labels?.[DRAIN_LABEL]?.toLowerCase()) {
    case "skip":
      return SKIP;
    case "wait-completed":
    case "waitcompleted":
      return { type: "wait", order: 0 };
    default:
      return undefined;
  }
}

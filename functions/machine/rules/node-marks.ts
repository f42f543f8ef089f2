import type { Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { KEY_FIELDS } from "../../../shared/rules/metadata/labels.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { nodeKeysPatch, nodeTaintsPatch } from "../../../shared/rules/workload/node-patch.ts";
import { nodeTaints, TAINTS_TRACKER } from "./node-taints.ts";

/** The fields of a Node that `nodeMarks` reads and writes. */
export const MARKED_FIELDS = [...KEY_FIELDS, "spec.taints"] as const;
/** The fields of a Machine that `nodeMarks` reads. */
export const MARKING_FIELDS = [...MARKED_FIELDS, ...OWNER_FIELDS, "spec.clusterName"] as const;

const LABELS_TRACKER = "cluster.x-k8s.io/labels-from-machine";
const ANNOTATIONS_TRACKER = "cluster.x-k8s.io/annotations-from-machine";
const INTERRUPTIBLE = "cluster.x-k8s.io/interruptible";
const MANAGED = "node.cluster.x-k8s.io";

/** Everything beside Machine and Node that decides about the marks. */
export interface MarkFacts {
  /** The infrastructure can be taken away at any time, such as a spot instance. */
  readonly interruptible: boolean;
  /** The MachineSet of the Machine is not the newest of its MachineDeployment. */
  readonly outdated: boolean;
}

/** Operations that give a Node everything that its Machine hands on, in one patch, and those taints that are left out. */
export interface NodeMarks {
  /** Empty when nothing changes. */
  readonly operations: readonly PatchOperation[];
  /** The Node gets the label that says so for the first time. */
  readonly becomesInterruptible: boolean;
  /** `key:effect` of taints that admission would have refused. */
  readonly refusedTaints: readonly string[];
}

/**
 * Labels, annotations and taints of a Machine's Node. Trackers, annotations of the Node, list what came from the
 * Machine: only what they list or the Machine wants is touched, and they travel with what they list.
 * Differs: which keys are copied cannot be configured; upstream takes further ones by flag.
 */
export function nodeMarks(machine: Machine, node: Node, { interruptible, outdated }: MarkFacts): NodeMarks {
  const { labels = {}, annotations = {} } = machine.metadata;
  const wantedLabels = {
    ...pick(labels, isCopiedLabel),
    ...(interruptible ? { [INTERRUPTIBLE]: "" } : {}),
  };
  const wantedAnnotations = pick(annotations, isCopiedAnnotation);
  const taints = nodeTaints(machine, node, outdated);
  const own = bookkeeping(machine);
  const trackers = {
    [LABELS_TRACKER]: keysText(wantedLabels),
    [ANNOTATIONS_TRACKER]: keysText(wantedAnnotations),
    [TAINTS_TRACKER]: taints.tracker,
  };
  return {
    operations: [
      ...nodeKeysPatch(node, "labels", {
        set: wantedLabels,
        remove: dropped(node, LABELS_TRACKER, wantedLabels),
      }),
      ...nodeKeysPatch(node, "annotations", {
        set: { ...wantedAnnotations, ...own.set, ...trackers },
        remove: [...dropped(node, ANNOTATIONS_TRACKER, wantedAnnotations), ...own.remove],
      }),
      ...nodeTaintsPatch(node, taints),
    ],
    becomesInterruptible: interruptible && !Object.hasOwn(node.metadata.labels ?? {}, INTERRUPTIBLE),
    refusedTaints: taints.refused,
  };
}

const OWNER_KIND = "cluster.x-k8s.io/owner-kind";
const OWNER_NAME = "cluster.x-k8s.io/owner-name";

/** Annotations that say whose Node it is. A Machine without controller has no owner: old ones are removed. */
function bookkeeping(machine: Machine) {
  const controller = controllerOf(machine);
  const set = {
    "cluster.x-k8s.io/cluster-name": machine.spec.clusterName,
    "cluster.x-k8s.io/cluster-namespace": machine.metadata.namespace ?? "",
    "cluster.x-k8s.io/machine": machine.metadata.name,
  };
  return controller === undefined
    ? { set, remove: [OWNER_KIND, OWNER_NAME] }
    : { set: { ...set, [OWNER_KIND]: controller.kind, [OWNER_NAME]: controller.name }, remove: [] };
}

/** Keys of a tracker that are no longer wanted, without those that say whose Node it is. */
function dropped(
  { metadata }: Node,
  tracker: string,
  wanted: { readonly [key: string]: string },
): readonly string[] {
  const listed = new Set((metadata.annotations?.[tracker] ?? "").split(","));
  return [...listed].filter((key) => !Object.hasOwn(wanted, key) && !BOOKKEEPING.has(key));
}

const BOOKKEEPING: ReadonlySet<string> = new Set([
  "cluster.x-k8s.io/cluster-name",
  "cluster.x-k8s.io/cluster-namespace",
  "cluster.x-k8s.io/machine",
  OWNER_KIND,
  OWNER_NAME,
  LABELS_TRACKER,
  ANNOTATIONS_TRACKER,
  TAINTS_TRACKER,
]);

function isCopiedLabel(key: string): boolean {
  return (
    domainOf(key) === "node-role.kubernetes.io" ||
    isWithin(key, "node-restriction.kubernetes.io") ||
    isWithin(key, MANAGED)
  );
}

function isCopiedAnnotation(key: string): boolean {
  return isWithin(key, MANAGED);
}

function isWithin(key: string, domain: string): boolean {
  return domainOf(key) === domain || domainOf(key).endsWith(`.${domain}`);
}

function domainOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}

function pick(map: { readonly [key: string]: string }, isWanted: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(map).filter(([key]) => isWanted(key)));
}

function keysText(map: { readonly [key: string]: string }): string {
  return Object.keys(map).sort(compareText).join(",");
}

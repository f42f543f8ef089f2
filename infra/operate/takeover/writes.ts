import { PAUSED_ANNOTATION, WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { escapePointer, valueAt } from "../../../shared/api/path.ts";
import { traitsOf } from "../../../shared/api/traits.ts";
import { annotationsPatch } from "../../../shared/rules/metadata/labels.ts";
import { endOfOwnership } from "../../../shared/runtime/write/field-managers.ts";
import type { Member } from "./families.ts";
import { isPausedByTakeover, PAUSED_BY_TAKEOVER } from "./standing.ts";

const LABEL = escapePointer(WATCH_FILTER_LABEL);

/** Operations that pause an object; none when it is paused already, also by a user. */
export function pauseOperations(object: KubeObject): readonly PatchOperation[] {
  if (Object.hasOwn(object.metadata.annotations ?? {}, PAUSED_ANNOTATION)) return [];
  return guarded(object, annotationsPatch(object, { [PAUSED_ANNOTATION]: PAUSED_BY_TAKEOVER }));
}

/** Who gets objects. */
export interface Receiver {
  /** Value of the label `cluster.x-k8s.io/watch-filter`; absent: no label. */
  readonly label: string | undefined;
  /** Whether a field manager belongs to the controller that has had the objects so far. */
  readonly isGone: (manager: string) => boolean;
}

/**
 * Operations that give an object to another controller in one patch: label, label of its Machines, fields of the old controller, no pause. So it always belongs to exactly one.
 */
export function handOverOperations(
  { kind, object }: Member,
  { label, isGone }: Receiver,
): readonly PatchOperation[] {
  // They give their Machines the labels of the template.
  const template = traitsOf(kind).workers !== undefined ? templateLabel(object, "template", label) : [];
  return guarded(object, [
    ...labelOperations(object.metadata.labels, { path: "/metadata/labels", value: label }),
    ...template,
    ...endOfOwnership(object, isGone),
    ...unpause(object),
  ]);
}

/** Operations that let an object whose controller stays make Machines of the receiver. */
export function makerOperations(
  { object }: Member,
  { label }: Pick<Receiver, "label">,
): readonly PatchOperation[] {
  return guarded(object, templateLabel(object, "machineTemplate", label));
}

function templateLabel(
  object: KubeObject,
  template: "template" | "machineTemplate",
  value: string | undefined,
): readonly PatchOperation[] {
  const path = `/spec/${template}/metadata`;
  const metadata = valueAt(object, `spec.${template}.metadata`) as KubeObject["metadata"] | undefined;
  if (metadata === undefined) {
    const added = { labels: { [WATCH_FILTER_LABEL]: value } };
    return value === undefined ? [] : [{ op: "add", path, value: added }];
  }
  return labelOperations(metadata.labels, { path: `${path}/labels`, value });
}

function labelOperations(
  labels: { readonly [key: string]: string } | undefined,
  { path, value }: { readonly path: string; readonly value: string | undefined },
): readonly PatchOperation[] {
  const present = labels?.[WATCH_FILTER_LABEL];
  if (present === value) return [];
  if (value === undefined) return [{ op: "remove", path: `${path}/${LABEL}` }];
  return labels === undefined
    ? [{ op: "add", path, value: { [WATCH_FILTER_LABEL]: value } }]
    : [{ op: "add", path: `${path}/${LABEL}`, value }];
}

function unpause(object: KubeObject): readonly PatchOperation[] {
  if (!isPausedByTakeover(object)) return [];
  return [{ op: "remove", path: `/metadata/annotations/${escapePointer(PAUSED_ANNOTATION)}` }];
}

/** Changes only this object, as it was read; no patch without a change. */
function guarded({ metadata }: KubeObject, operations: readonly PatchOperation[]): readonly PatchOperation[] {
  if (operations.length === 0) return [];
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    ...operations,
  ];
}

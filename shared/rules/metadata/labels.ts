import type { KubeObject, ObjectMeta } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { escapePointer } from "../../api/path.ts";

/** The fields with keys that users and controllers choose. */
export const KEY_FIELDS = ["metadata.labels", "metadata.annotations"] as const;

/** Operations that set one label and leave the others; none when it is right already. */
export function labelPatch(object: KubeObject, key: string, value: string): readonly PatchOperation[] {
  return labelsPatch(object.metadata.labels, { [key]: value });
}

/** Operations that set these labels and leave the others; none when all are right already. */
export function labelsPatch(
  labels: ObjectMeta["labels"],
  desired: { readonly [key: string]: string },
): readonly PatchOperation[] {
  if (labels === undefined) return [{ op: "add", path: "/metadata/labels", value: desired }];
  return Object.entries(desired)
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) => ({ op: "add", path: `/metadata/labels/${escapePointer(key)}`, value }));
}

/** Operations that set these annotations and leave the others; none when all are right already. */
export function annotationsPatch(
  object: KubeObject,
  desired: { readonly [key: string]: string },
): readonly PatchOperation[] {
  const { annotations } = object.metadata;
  if (annotations === undefined) return [{ op: "add", path: "/metadata/annotations", value: desired }];
  return Object.entries(desired)
    .filter(([key, value]) => annotations[key] !== value)
    .map(([key, value]) => ({ op: "add", path: `/metadata/annotations/${escapePointer(key)}`, value }));
}

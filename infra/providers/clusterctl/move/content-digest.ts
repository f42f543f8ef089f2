import { hash } from "node:crypto";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { canonical } from "../../../../shared/runtime/digest.ts";

/**
 * Returns a digest of what a move writes of an object: equal on both sides means that an overwrite changes nothing.
 * Left out is what servers set (uid, versions, times, status), and `spec.paused` of a Cluster, which the move sets. The
 * digest of a Secret stays in this process.
 */
export function contentDigest(object: KubeObject): string {
  const { metadata, ...content } = object;
  const { labels, annotations, finalizers, ownerReferences = [] } = metadata;
  const owners = ownerReferences
    .map(({ uid: _, ...owner }) => canonical({ controller: false, blockOwnerDeletion: false, ...owner }))
    .sort();
  Reflect.deleteProperty(content, "status");
  const spec: unknown = Reflect.get(content, "spec");
  if (object.kind === "Cluster" && typeof spec === "object" && spec !== null) {
    const { paused: _, ...rest } = spec as { readonly paused?: unknown };
    Reflect.set(content, "spec", rest);
  }
  const kept = { labels: filled(labels), annotations: filled(annotations), finalizers: filled(finalizers) };
  return hash("sha256", canonical({ ...content, owners, ...kept }));
}

/** An empty map or list is stored as an absent one. */
function filled(value: object | undefined): object | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

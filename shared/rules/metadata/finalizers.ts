import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { hasFinalizer } from "../../function/guards.ts";

/** Operations that append a finalizer; none when it is there. Never for an object that is being deleted. */
export function addFinalizerPatch(object: KubeObject, name: string): readonly PatchOperation[] {
  if (hasFinalizer(object, name)) return [];
  return object.metadata.finalizers === undefined
    ? [{ op: "add", path: "/metadata/finalizers", value: [name] }]
    : [{ op: "add", path: "/metadata/finalizers/-", value: name }];
}

/** Operations that remove a finalizer at its index; none when it is gone. The runtime sends them last. */
export function removeFinalizerPatch(object: KubeObject, name: string): readonly PatchOperation[] {
  const index = object.metadata.finalizers?.indexOf(name) ?? -1;
  if (index < 0) return [];
  const path = `/metadata/finalizers/${index}`;
  return [
    { op: "test", path, value: name },
    { op: "remove", path },
  ];
}

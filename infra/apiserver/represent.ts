import { applyDefaults } from "./defaults.ts";
import type { KubeObject } from "./kube-object.ts";
import { prune } from "./prune.ts";
import { groupVersion, type ResourceType, type ServedVersion, storageVersionOf } from "./registry.ts";

/** Objects by the version (with its schema at that time) that they were shaped for; forgotten with the object. */
const shapes = new WeakMap<KubeObject, Map<ServedVersion, KubeObject>>();

/** Says that a stored object already has the shape of the present storage version. */
export function markShaped(type: ResourceType, object: KubeObject): void {
  if (type.custom) shapes.set(object, new Map([[storageVersionOf(type), object]]));
}

/**
 * A stored object as a version shows it: apiVersion rewritten (conversion strategy None, A-55), pruned and defaulted
 * by that version's present schema. The result is shared; nobody changes it.
 */
export function represent(type: ResourceType, served: ServedVersion, object: KubeObject): KubeObject {
  if (!type.custom) return object;
  let known = shapes.get(object);
  if (!known) {
    known = new Map();
    shapes.set(object, known);
  }
  let shaped = known.get(served);
  if (!shaped) {
    shaped = shape(type, served, object);
    known.set(served, shaped);
  }
  return shaped;
}

/** The object converted to the version in which the type is stored. */
export function toStorageVersion(type: ResourceType, object: KubeObject): KubeObject {
  const served = storageVersionOf(type);
  return object.apiVersion === groupVersion(type.group, served.version)
    ? object
    : shape(type, served, object);
}

function shape(type: ResourceType, served: ServedVersion, object: KubeObject): KubeObject {
  const converted = { ...object, apiVersion: groupVersion(type.group, served.version) };
  // The schema describes objects of this kind, so pruning and defaulting keep them objects.
  return applyDefaults(served.schema, prune(served.schema, converted).value) as KubeObject;
}

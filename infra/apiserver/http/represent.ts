import { convertVersion } from "../kinds/conversion.ts";
import { groupVersion, type ResourceType, type ServedVersion, storageVersionOf } from "../kinds/registry.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { prune } from "../schema/prune.ts";
import type { KubeObject } from "../storage/kube-object.ts";

/** Objects by the version (with its schema at that time) that they were shaped for; forgotten with the object. */
const shapes = new WeakMap<KubeObject, Map<ServedVersion, KubeObject>>();

/** Says that a stored object already has the shape of the present storage version. */
export function markShaped(type: ResourceType, object: KubeObject): void {
  if (type.custom) shapes.set(object, new Map([[storageVersionOf(type), object]]));
}

/**
 * A stored object as a version shows it: converted, pruned and defaulted
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
    : convert(type, served, object);
}

/** Defaults are those of the version it was in; another version's come with the next write through that version. */
function shape(type: ResourceType, served: ServedVersion, object: KubeObject): KubeObject {
  const stored = type.versions.find(({ version }) => object.apiVersion === groupVersion(type.group, version));
  const { schema } = stored ?? served;
  // The schema describes objects of this kind, so pruning and defaulting keep them objects.
  const filled = applyDefaults(schema, prune(schema, object).value) as KubeObject;
  return stored === served ? filled : convert(type, served, filled);
}

function convert(type: ResourceType, served: ServedVersion, object: KubeObject): KubeObject {
  return prune(served.schema, convertVersion(type, object, served.version)).value as KubeObject;
}

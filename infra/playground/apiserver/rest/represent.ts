import { convertVersions } from "../kinds/conversion.ts";
import { groupVersion, type ResourceType, type ServedVersion, storageVersionOf } from "../kinds/registry.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { prune } from "../schema/prune.ts";
import { type Soon, useSoon } from "../soon.ts";

/**
 * Objects by the version (with its schema at that time) that they were shaped for; forgotten with the object.
 * A conversion by a webhook is shared while it is on its way; later readers ask again, as on the real server.
 */
const shapes = new WeakMap<KubeObject, Map<ServedVersion, Soon<KubeObject>>>();

/** Says that a stored object already has the shape of the present storage version. */
export function markShaped(type: ResourceType, object: KubeObject): void {
  if (type.custom) shapes.set(object, new Map([[storageVersionOf(type), object]]));
}

/**
 * A stored object as a version shows it: converted, pruned and defaulted by that version's present schema; at
 * once unless a webhook converts it. The result is shared; it is never changed.
 */
export function represent(type: ResourceType, served: ServedVersion, object: KubeObject): Soon<KubeObject> {
  if (!type.custom) return object;
  const known = shapes.get(object)?.get(served);
  if (known !== undefined) return known;
  const [shaped = object] = representEach(type, served, [object]);
  return shaped;
}

/** The same for many objects, for which a webhook is asked one question. */
export function representEach(
  type: ResourceType,
  served: ServedVersion,
  objects: readonly KubeObject[],
): readonly Soon<KubeObject>[] {
  if (!type.custom) return objects;
  const unknown = objects.filter((object) => !shapesOf(object).has(served));
  const shaped = shapeEach(type, served, unknown);
  for (const [index, object] of unknown.entries()) remember(object, served, shaped[index] ?? object);
  return objects.map((object) => shapesOf(object).get(served) ?? object);
}

function shapesOf(object: KubeObject): Map<ServedVersion, Soon<KubeObject>> {
  let known = shapes.get(object);
  if (!known) {
    known = new Map();
    shapes.set(object, known);
  }
  return known;
}

function remember(object: KubeObject, served: ServedVersion, shaped: Soon<KubeObject>): void {
  const known = shapesOf(object);
  known.set(served, shaped);
  const forget = () => known.delete(served);
  if (shaped instanceof Promise) shaped.then(forget, forget);
}

/** The object converted to the version in which the type is stored. */
export function toStorageVersion(type: ResourceType, object: KubeObject): Soon<KubeObject> {
  const [converted = object] = convertEach(type, storageVersionOf(type), [object]);
  return converted;
}

/** Defaults are those of the version it was in; another version's come with the next write through that version. */
function shapeEach(
  type: ResourceType,
  served: ServedVersion,
  objects: readonly KubeObject[],
): readonly Soon<KubeObject>[] {
  const filled = objects.map((object) => {
    const stored = type.versions.find(
      ({ version }) => object.apiVersion === groupVersion(type.group, version),
    );
    const { schema } = stored ?? served;
    // The schema describes objects of this kind, so pruning and defaulting keep them objects.
    return applyDefaults(schema, prune(schema, object).value) as KubeObject;
  });
  return convertEach(type, served, filled);
}

function convertEach(
  type: ResourceType,
  served: ServedVersion,
  objects: readonly KubeObject[],
): readonly Soon<KubeObject>[] {
  const converted = convertVersions(type, objects, served.version);
  return converted.map((soon, index) =>
    useSoon(soon, (one) => (one === objects[index] ? one : (prune(served.schema, one).value as KubeObject))),
  );
}

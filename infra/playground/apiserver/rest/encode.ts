import { StatusError } from "../errors/status-error.ts";
import { convertVersions } from "../kinds/conversion.ts";
import { groupVersion, type ResourceType, type ServedVersion, storageVersionOf } from "../kinds/registry.ts";
import type { JsonObject } from "../objects/json.ts";
import { type KubeObject, withMetadata } from "../objects/kube-object.ts";
import { checkIncluded, type Representation } from "../request/body.ts";
import type { Answer, Target } from "../request/request.ts";
import { applyDefaults, prune } from "../schema/shape.ts";
import { type Soon, useSoon } from "../soon.ts";
import type { Change, ChangeType } from "../storage/collection.ts";
import { toPartialMetadata, toTable } from "./table.ts";

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

/** The JSON text of an answer in the representation that the client asked for. */
export function encodeAnswer(answer: Answer, representation: Representation, now: Date): string {
  if (answer.form === "document") return JSON.stringify(answer.body);
  checkIncluded(representation);
  if (answer.form !== "list") {
    if (representation.shape === "list metadata")
      throw notAcceptable("PartialObjectMetadataList", "not a list");
    if (representation.shape === "full") return answer.text ?? JSON.stringify(answer.object);
    return JSON.stringify(
      showObject(answer.target, answer.object, representation, { withColumns: true, now }),
    );
  }
  return encodeList(answer, representation, now);
}

function notAcceptable(asked: string, found: string): StatusError {
  const message = `you requested ${asked}, but the requested object is ${found}`;
  return new StatusError(406, "NotAcceptable", message);
}

function encodeList(
  { target, objects, metadata }: Extract<Answer, { form: "list" }>,
  { shape, includeObject }: Representation,
  now: Date,
): string {
  const { type, served } = target;
  switch (shape) {
    case "table":
      return JSON.stringify(toTable(served, objects, metadata, { includeObject, withColumns: true, now }));
    case "metadata":
      throw notAcceptable("PartialObjectMetadata", "a list");
    case "list metadata": {
      const items = objects.length === 0 ? null : objects.map(toPartialMetadata);
      return JSON.stringify({
        kind: "PartialObjectMetadataList",
        apiVersion: "meta.k8s.io/v1",
        metadata,
        items,
      });
    }
    case "full": {
      const apiVersion = groupVersion(type.group, served.version);
      const items = type.custom ? objects : objects.map(withoutType);
      return JSON.stringify({ kind: type.listKind, apiVersion, metadata, items });
    }
    default:
      return shape satisfies never;
  }
}

/** Items of a list of a compiled-in kind: the list names their kind. */
function withoutType({ apiVersion: _, kind: __, ...rest }: KubeObject): JsonObject {
  return rest;
}

function showObject(
  target: Target,
  object: KubeObject,
  { shape, includeObject }: Representation,
  { withColumns, now }: { readonly withColumns: boolean; readonly now: Date },
): JsonObject {
  if (shape === "metadata" || shape === "list metadata") return toPartialMetadata(object);
  if (shape === "full") return object;
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return toTable(target.served, [object], metadata, { includeObject, withColumns, now });
}

/** One line of a watch for an object outside a change, such as an initial ADDED. */
export function encodeEvent(
  target: Target,
  type: ChangeType | "BOOKMARK",
  object: KubeObject,
  { representation, withColumns, now }: { representation: Representation; withColumns: boolean; now: Date },
): string {
  const shown = showObject(target, object, representation, { withColumns, now });
  return `{"type":"${type}","object":${JSON.stringify(shown)}}\n`;
}

/**
 * The watch line of a change, made once for all watches that want the same one; at once unless a webhook
 * converts it.
 * `as` differs from the change's own type when a selector began or ceased to match.
 */
export function encodeChange(
  target: Target,
  change: Change,
  as: ChangeType,
  { representation, withColumns, now }: { representation: Representation; withColumns: boolean; now: Date },
): Soon<string> {
  const { shape, includeObject } = representation;
  const { type, served } = target;
  const key = `${as} ${served.version} ${shape} ${includeObject} ${withColumns}`;
  const known = change.lines.get(key);
  if (known !== undefined) return known;
  return useSoon(makeLine(), (line) => {
    change.lines.set(key, line);
    return line;
  });

  function makeLine(): Soon<string> {
    const leftSelection = as === "DELETED" && change.type !== "DELETED";
    const stored = leftSelection ? lastSelected(change) : change.object;
    const isText = shape === "full" && served.version === type.storageVersion && !leftSelection;
    return useSoon(represent(type, served, stored), (shown) =>
      isText && shown === stored
        ? `{"type":"${as}","object":${change.text}}\n`
        : encodeEvent(target, as, shown, { representation, withColumns, now }),
    );
  }
}

/** The old content with the new version. */
function lastSelected(change: Change): KubeObject {
  return withMetadata(change.previous ?? change.object, { resourceVersion: String(change.version) });
}

import { messageOf } from "../../../../shared/function/errors.ts";
import type { KindVersions } from "../apply/views.ts";
import { StatusError } from "../errors/status-error.ts";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../objects/json.ts";
import { type KubeObject, objectAt, textAt } from "../objects/kube-object.ts";
import type { Soon } from "../soon.ts";
import { metadataCauses } from "./metadata.ts";
import { groupVersion, type ResourceType, type ServedVersion } from "./registry.ts";

/** Turns an object into another version of its kind; the result has that apiVersion. It may throw. */
export type Converter = (object: KubeObject, apiVersion: string) => Soon<JsonObject>;

/** Converters in this process, which stand in for the webhooks that CRDs name; they outlive restarts. */
export class Converters {
  readonly #converters = new Map<string, Converter>();

  add(group: string, kind: string, converter: Converter): void {
    this.#converters.set(`${group}/${kind}`, converter);
  }

  find(group: string, kind: string): Converter | undefined {
    return this.#converters.get(`${group}/${kind}`);
  }
}

/**
 * The objects in another version, in their order, by the strategy of their kind: None rewrites the apiVersion at once,
 * Webhook asks one question for all that have another version. A promise rejects with StatusError 500 when the webhook
 * cannot be asked or its answer is not what it must be.
 * Source: Kubernetes v1.34, apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go
 */
export function convertVersions(
  type: ResourceType,
  objects: readonly KubeObject[],
  version: string,
): readonly Soon<KubeObject>[] {
  const apiVersion = groupVersion(type.group, version);
  const foreign = objects.filter((object) => object.apiVersion !== apiVersion);
  if (foreign.length === 0) return objects;
  if (!type.convert) return objects.map((object) => ({ ...object, apiVersion }));
  const answer = askConversion(type, type.convert, foreign, apiVersion);
  const places = new Map(foreign.map((object, place) => [object, place]));
  return objects.map((object) => {
    const place = places.get(object);
    // As many came back as were sent.
    return place === undefined ? object : answer.then((converted) => converted[place] as KubeObject);
  });
}

async function askConversion(
  type: ResourceType,
  convert: NonNullable<ResourceType["convert"]>,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const webhook = `conversion webhook for ${objects[0]?.apiVersion}, Kind=${type.kind}`;
  const converted = await convert(objects, apiVersion).catch((error: unknown) => {
    throw conversionError(`${webhook} failed: ${messageOf(error)}`);
  });
  if (converted.length !== objects.length) {
    throw conversionError(`${webhook} returned ${converted.length} objects, expected ${objects.length}`);
  }
  return objects.map((object, index) => {
    const answer = converted[index];
    const problem = answerProblem(object, answer, apiVersion, objects.length > 1 ? ` at index ${index}` : "");
    if (problem !== undefined) throw conversionError(`${webhook} returned ${problem}`);
    return withKeptMetadata(object, answer as JsonObject);
  });
}

function conversionError(message: string): StatusError {
  return new StatusError(500, "", message);
}

/** Returns why this is not a conversion of the object; `at` says which one it was. */
function answerProblem(
  object: KubeObject,
  answer: Json | undefined,
  apiVersion: string,
  at: string,
): string | undefined {
  if (!isJsonObject(answer)) return `invalid object${at || " at index 0"}: not an object`;
  const seen = { groupVersion: textAt(answer, "apiVersion"), kind: textAt(answer, "kind") };
  const expected = { groupVersion: apiVersion, kind: object.kind };
  for (const member of ["groupVersion", "kind"] as const) {
    if (seen[member] === expected[member]) continue;
    return `invalid object${at || " at index 0"}: invalid ${member} (expected ${expected[member]}, received ${seen[member]})`;
  }
  const metadata = objectAt(answer, "metadata");
  for (const [member, name] of IDENTITY) {
    const kept = textAt(object.metadata, member);
    const given = textAt(metadata, member);
    if (given !== kept) return `invalid object${at}: must have the same ${name}: ${kept} != ${given}`;
  }
  const problem = mapProblem(object, metadata, "labels") ?? mapProblem(object, metadata, "annotations");
  return problem && `invalid metadata${at}: ${problem}`;
}

const IDENTITY = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

/** Labels and annotations are what a conversion may change in metadata; they must be good ones. */
function mapProblem(
  object: KubeObject,
  metadata: JsonObject,
  member: "labels" | "annotations",
): string | undefined {
  const map = metadata[member] ?? {};
  if (!isJsonObject(map)) return `metadata.${member} in converted object is not a map`;
  const odd = Object.keys(map).find((key) => typeof map[key] !== "string");
  if (odd !== undefined)
    return `metadata.${member}[${odd}] must be a string, but is ${typeof map[odd]} in converted object`;
  if (sameJson(map, object.metadata[member] ?? {})) return undefined;
  const { name } = object.metadata;
  const [cause] = metadataCauses({ name, [member]: map }, "path");
  return cause && `${cause.field}: ${cause.message}`;
}

/** Everything else in metadata is the original's. */
function withKeptMetadata(object: KubeObject, answer: JsonObject): KubeObject {
  const { labels, annotations } = objectAt(answer, "metadata");
  const { labels: _, annotations: __, ...kept } = object.metadata;
  const metadata = { ...kept, ...filled("labels", labels), ...filled("annotations", annotations) };
  return { ...answer, metadata } as KubeObject;
}

function filled(member: string, map: Json | undefined): JsonObject {
  return isJsonObject(map) && Object.keys(map).length > 0 ? { [member]: map } : {};
}

/** The versions of a custom resource in which field ownership is compared; compiled-in kinds have one each. */
export function kindVersions(type: ResourceType): KindVersions | undefined {
  if (!type.custom) return undefined;
  const find = (apiVersion: string): ServedVersion | undefined =>
    type.versions.find(({ version }) => groupVersion(type.group, version) === apiVersion);
  return {
    schemaOf: (apiVersion) => find(apiVersion)?.schema,
    convert(object, apiVersion) {
      // A webhook cannot convert an object that does not exist yet.
      if (isEmpty(object)) return { ...object, apiVersion };
      const [converted = object] = convertVersions(
        type,
        [object as KubeObject],
        find(apiVersion)?.version ?? "",
      );
      return converted;
    },
  };
}

/** The owned part of an object may lack metadata as well. */
function isEmpty({ apiVersion: _, kind: __, metadata, ...content }: JsonObject): boolean {
  const hasMetadata = isJsonObject(metadata) && Object.keys(metadata).length > 0;
  return !hasMetadata && Object.keys(content).length === 0;
}

import { internalError } from "../http/status-error.ts";
import { isJsonObject, type JsonObject } from "../schema/schema.ts";
import type { KubeObject } from "../storage/kube-object.ts";
import { groupVersion, type ResourceType } from "./registry.ts";

/** Turns an object into another version of its kind; the result has that apiVersion. It may throw. */
export type Converter = (object: KubeObject, apiVersion: string) => JsonObject;

/** Converters in this process, which stand for the webhooks that CRDs name; they outlive restarts. */
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
 * The object in another version, by its kind's strategy: None rewrites the apiVersion, Webhook asks the converter of
 * this process. What must not change in a conversion is kept. Throws StatusError 500 when a converter fails or is missing.
 * Differs: A-55 also asks HTTPS webhooks; here the answer must be there at once, because nothing may come between a read
 * and the write that follows it.
 */
export function convertVersion(type: ResourceType, object: KubeObject, version: string): KubeObject {
  const apiVersion = groupVersion(type.group, version);
  if (object.apiVersion === apiVersion || !type.convert) return { ...object, apiVersion };
  try {
    const converted = type.convert(object, apiVersion);
    if (converted["apiVersion"] !== apiVersion)
      throw new Error(`returned invalid object of ${converted["apiVersion"]}`);
    const { labels = {}, annotations = {} } = isJsonObject(converted["metadata"])
      ? converted["metadata"]
      : {};
    const { labels: _, annotations: __, ...fixed } = object.metadata;
    const metadata = { ...fixed, ...present({ labels, annotations }) };
    return { ...converted, apiVersion, kind: object.kind, metadata } as KubeObject;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw internalError(`conversion webhook for ${object.apiVersion}, Kind=${type.kind} failed: ${reason}`);
  }
}

/** For kinds with strategy Webhook: what asks the converter, whenever it is there. */
export function webhookOf(converters: Converters, type: ResourceType): Converter {
  return (object, apiVersion) => {
    const converter = converters.find(type.group, type.kind);
    if (!converter) throw new Error("no converter for it in this process");
    return converter(structuredClone(object), apiVersion);
  };
}

function present(maps: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(maps).filter(([, map]) => isJsonObject(map) && Object.keys(map).length > 0),
  );
}

import type { KindVersions } from "../apply/views.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { convertVersions } from "./conversion.ts";
import { groupVersion, type ResourceType, type ServedVersion } from "./registry.ts";

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

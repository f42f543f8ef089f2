import { convertObject } from "../../shared/api/older/convert.ts";
import { OLDER } from "../../shared/api/older/table.ts";
import type { ConversionClient } from "../platform/crds/crd.ts";
import { referenceVersions } from "../platform/crds/reference-version.ts";
import type { ApiServer, JsonObject } from "../playground/apiserver/entry.ts";

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";

/**
 * Lets an embedded API server convert the objects of Cluster API in its own process. Its CRDs name a webhook, as
 * Kubernetes demands; it is never asked.
 */
export function convertsItself(server: ApiServer): ConversionClient {
  const versionOf = referenceVersions((name) => server.storage.collection(DEFINITIONS).find(`/${name}`));
  for (const name of OLDER.keys()) {
    const [group = "", kind = ""] = name.split("/");
    server.converters.add(group, kind, (object, apiVersion) => {
      return convertObject(object, apiVersion, versionOf) as unknown as JsonObject;
    });
  }
  return { url: "https://127.0.0.1/convert" };
}

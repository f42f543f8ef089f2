import { RESOURCE_SECRET_TYPE } from "../../../shared/api/clusterresourceset.ts";
import { ConfigMap, Secret } from "../../../shared/api/core.ts";
import {
  apiVersionOf,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
  refTo,
} from "../../../shared/api/kinds.ts";
import type { LiveReader } from "../../../shared/function/define-function.ts";

interface Found {
  readonly object: KubeObject;
  readonly target: ObjectRef;
}

/** Reads the metadata of a resource; `foreign`: a Secret of another type, which no set may own. */
export async function readResource(
  live: LiveReader,
  kind: "Secret" | "ConfigMap",
  key: ObjectKey,
): Promise<Found | "foreign" | undefined> {
  if (kind === "ConfigMap") {
    const object = await live.get(ConfigMap, key);
    return object && { object, target: refTo(ConfigMap, object) };
  }
  const summary = await live.secret(key);
  if (summary === undefined) return undefined;
  if (summary.type !== RESOURCE_SECRET_TYPE) return "foreign";
  const object = { apiVersion: apiVersionOf(Secret), kind: Secret.kind, metadata: summary.metadata };
  return { object, target: refTo(Secret, object) };
}

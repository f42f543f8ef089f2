import { CLUSTER_NAME_LABEL } from "../../../api/indexes.ts";
import type { KubeObject } from "../../../api/kinds.ts";
import { textAt } from "../../../api/path.ts";

/** The Cluster that an object is for: by its label, else, as nothing has labelled it yet, by its spec. */
export function clusterNameIn(object: KubeObject): string | undefined {
  return object.metadata.labels?.[CLUSTER_NAME_LABEL] ?? (textAt(object, "spec.clusterName") || undefined);
}

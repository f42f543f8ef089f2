import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../shared/api/kinds.ts";

/** The objects of a YAML text that a workload has written. */
export function manifestsIn(yaml: string): readonly KubeObject[] {
  return parseAllDocuments(yaml).flatMap((document) =>
    "errors" in document ? [document.toJS() as KubeObject] : [],
  );
}

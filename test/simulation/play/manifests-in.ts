import { loadAll } from "js-yaml";
import type { KubeObject } from "../../../shared/api/kinds.ts";

/** The objects of a YAML text that a workload has written. */
export function manifestsIn(yaml: string): readonly KubeObject[] {
  return loadAll(yaml) as KubeObject[];
}

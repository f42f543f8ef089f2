import type { KubeObject } from "../../api/kinds.ts";

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

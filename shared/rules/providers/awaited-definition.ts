import type { ContractReference } from "../../api/kinds.ts";
import type { Unresolved } from "../../contract/referenced.ts";

/** A CustomResourceDefinition has to come, or to claim a supported contract by label. */
export function awaitedDefinition(
  { crdExists }: Unresolved,
  { apiGroup, kind }: Pick<ContractReference, "apiGroup" | "kind">,
): string {
  const field = crdExists ? "labels" : "uid";
  return `CustomResourceDefinition.metadata.${field} of ${apiGroup}/${kind}`;
}

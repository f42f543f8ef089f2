import { type Kind, MANAGEMENT } from "../../api/kinds.ts";
import type { TypeKey } from "../ports.ts";

/** Returns where the read model has the objects of a kind on the management cluster. */
export function managementType({ group, kind }: Pick<Kind, "group" | "kind">): TypeKey {
  return { cluster: MANAGEMENT, group, kind };
}

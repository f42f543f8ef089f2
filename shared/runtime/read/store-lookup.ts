import type { Kind, KubeObject, ObjectKey } from "../../api/kinds.ts";
import type { Lookup } from "../../function/define-function.ts";
import type { Store } from "../ports.ts";
import { managementType } from "./management-type.ts";

/** Lookups of mappings in the read model of the management cluster. */
export function storeLookup(store: Pick<Store, "find" | "get">): Lookup {
  return {
    find: (kind, index, value) => store.find(managementType(kind), index, value),
    // The kind says what is stored under its name.
    get: async <T extends KubeObject>(kind: Kind<T>, key: ObjectKey) =>
      (await store.get(managementType(kind), key)) as T | undefined,
  };
}

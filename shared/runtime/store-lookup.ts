import { type Kind, type KubeObject, MANAGEMENT, type ObjectKey } from "../api/kinds.ts";
import type { Lookup } from "../function/define-function.ts";
import type { Store } from "./ports.ts";

/** Lookups of mappings in the read model of the management cluster. */
export function storeLookup(store: Pick<Store, "find" | "get">): Lookup {
  const typeOf = ({ group, kind }: Pick<Kind, "group" | "kind">) => ({ cluster: MANAGEMENT, group, kind });
  return {
    find: (kind, index, value) => store.find(typeOf(kind), index, value),
    // The kind says what is stored under its name.
    get: async <T extends KubeObject>(kind: Kind<T>, key: ObjectKey) =>
      (await store.get(typeOf(kind), key)) as T | undefined,
  };
}

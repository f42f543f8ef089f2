import { clusterNameOf } from "../../../shared/api/indexes.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { KeyParts } from "../../../shared/runtime/queue/key.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";

interface Sources {
  readonly store: Pick<Store, "get">;
  readonly functions: readonly AnyFunction[];
}

/** Returns what finds the Cluster of a key whose tenant names none: by the label of its object, or by its owner. */
export function clusterOfKey({ store, functions }: Sources): (key: KeyParts) => Promise<string | undefined> {
  return async ({ kind: name, ...key }) => {
    const kind = functions.find(({ spec }) => spec.reconciles.kind === name)?.spec.reconciles;
    const object = kind && (await store.get(managementType(kind), key));
    const owner = object?.metadata.ownerReferences?.find((each) => each.kind === "Cluster")?.name;
    const named = (object && clusterNameOf(kind, object)) ?? owner;
    return named === undefined ? undefined : `${key.namespace}/${named}`;
  };
}

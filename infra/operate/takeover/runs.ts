import { tenantOf } from "../../../shared/api/indexes.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { formatKey, type Key } from "../../../shared/runtime/queue/key.ts";
import type { Member } from "./families.ts";

/** Returns the functions that reconcile an object, each with its key in their queue. */
export function runsOf(
  { kind, object }: Member,
  functions: readonly AnyFunction[],
): readonly { readonly fn: AnyFunction; readonly key: Key }[] {
  return functions.flatMap((fn) => {
    const { reconciles } = fn.spec;
    if (reconciles.kind !== kind.kind || reconciles.group !== kind.group) return [];
    const tenant = tenantOf(reconciles, object);
    return [{ fn, key: formatKey({ ...objectKeyOf(object), kind: kind.kind, tenant }) }];
  });
}

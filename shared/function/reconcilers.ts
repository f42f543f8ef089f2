import type { Kind } from "../api/kinds.ts";
import type { AnyFunction } from "./define-function.ts";

/** Returns the functions that reconcile a kind, in their order. */
export function reconcilersOf(
  functions: readonly AnyFunction[],
  { group, kind }: Pick<Kind, "group" | "kind">,
): readonly AnyFunction[] {
  return functions.filter(
    ({ spec: { reconciles } }) => reconciles.kind === kind && reconciles.group === group,
  );
}

import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { type At, valueAt } from "../../../../../shared/api/path.ts";

/** Returns the stored values of the fields that a function owns: an apply of them changes nothing. */
export function storedValues<T extends KubeObject, Owned extends string>(
  object: T,
  owned: readonly Owned[],
): { readonly [P in Owned]: At<T, P> | undefined } {
  const values = Object.fromEntries(owned.map((path) => [path, valueAt(object, path)]));
  return values as { readonly [P in Owned]: At<T, P> | undefined };
}

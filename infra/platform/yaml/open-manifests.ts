import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Manifests } from "../../../shared/runtime/ports.ts";

/** Returns what reads manifests for these functions; `undefined` where none of them delivers any: it loads a parser. */
export async function openManifests(functions: readonly AnyFunction[]): Promise<Manifests | undefined> {
  if (!functions.some(({ spec: { delivers = [] } }) => delivers.length > 0)) return undefined;
  return (await import("./manifests.ts")).manifests;
}

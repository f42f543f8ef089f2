import type { Kind } from "../api/kinds.ts";
import { KINDS, type KindLookup, lookupIn } from "../api/registry.ts";
import { type AnyFunction, isContractKind } from "./define-function.ts";

/** Returns what finds the kinds of the core, and those of providers that these functions name: they bring their types. */
export function knownKinds(functions: readonly AnyFunction[]): KindLookup {
  const named = functions.flatMap(({ spec }) => [
    spec.reconciles as Kind,
    ...spec.watches.flatMap(({ on }) => (isContractKind(on) ? [] : [on])),
  ]);
  return lookupIn([...KINDS, ...named]);
}

import { CustomResourceDefinition } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { type AnyFunction, isContractKind } from "../../shared/runtime/define-function.ts";

/** Kinds that the functions name, without those that are no types of the management server's read model. */
export function staticKinds(functions: readonly AnyFunction[]): ReadonlyMap<string, Kind> {
  const named = functions.flatMap(({ spec }) => [spec.reconciles, ...spec.watches.map(({ on }) => on)]);
  const kinds = named
    .flatMap((on) => (isContractKind(on) ? [] : [on]))
    .filter((kind) => !notListed.has(idOf(kind)));
  return new Map(kinds.map((kind) => [idOf(kind), kind]));
}

/** Nodes live on workload servers, Connections in the read model only, CRDs have their own loop, Secrets are never stored. */
const notListed: ReadonlySet<string> = new Set([
  "/Node",
  "/Secret",
  "capstan.dev/Connection",
  idOf(CustomResourceDefinition),
]);

export function contestedPaths(functions: readonly AnyFunction[]): ReadonlyMap<string, readonly string[]> {
  const byKind = Map.groupBy(functions, ({ spec }) => idOf(spec.reconciles));
  return new Map(
    [...byKind].map(([id, group]) => [id, [...new Set(group.flatMap(({ spec }) => spec.contested ?? []))]]),
  );
}

/** Name of a type within the management server: `<group>/<Kind>`. */
export function idOf({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

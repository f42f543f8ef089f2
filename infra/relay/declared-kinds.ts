import { CustomResourceDefinition, ResourceSecret } from "../../shared/api/core.ts";
import { referencesOf, typesMadeBy } from "../../shared/api/indexes.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import { kindOf } from "../../shared/api/registry.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";

/**
 * Returns the kinds that functions name, without those that the relay does not list on the management server; Secrets only
 * where it may watch them.
 */
export function staticKinds(
  functions: readonly AnyFunction[],
  secrets: "get" | "watch" = "watch",
): ReadonlyMap<string, Kind> {
  const named = functions.flatMap(({ spec }) => [spec.reconciles, ...spec.watches.map(({ on }) => on)]);
  const kinds = named
    .flatMap((on) => (isContractKind(on) ? [] : [on]))
    .filter((kind) => !notListed.has(idOf(kind)) && (secrets === "watch" || kind !== ResourceSecret));
  return new Map(kinds.map((kind) => [idOf(kind), kind]));
}

/** Nodes live on workload servers, Connections in the read model only, CRDs have their own loop. */
const notListed: ReadonlySet<string> = new Set([
  "/Node",
  "capstan.dev/Connection",
  idOf(CustomResourceDefinition),
]);

/** Returns the contested paths of the functions, by the kind that they reconcile. */
export function contestedPaths(functions: readonly AnyFunction[]): ReadonlyMap<string, readonly string[]> {
  const byKind = Map.groupBy(functions, ({ spec }) => idOf(spec.reconciles));
  return new Map(
    [...byKind].map(([id, group]) => [id, [...new Set(group.flatMap(({ spec }) => spec.contested ?? []))]]),
  );
}

/** A type that an object names: `<group>/<Kind>`, with its version where the object names that, too. */
export interface NamedType {
  readonly id: string;
  readonly version?: string | undefined;
}

/**
 * Returns a function that finds the types that an object of the management server names: those of the provider objects
 * that it references at the paths that functions watch, those of objects that are made from referenced templates, and
 * those that it announces in its own group.
 */
export function typesNamedBy(
  functions: readonly AnyFunction[],
): (kind: Pick<Kind, "group" | "kind">, object: KubeObject) => readonly NamedType[] {
  const contracts = functions.flatMap(({ spec }) =>
    spec.watches.flatMap(({ on }) => (isContractKind(on) ? [on] : [])),
  );
  const byKind = Map.groupBy(
    contracts.flatMap(({ referencedBy }) => referencedBy),
    ({ kind }) => idOf(kind),
  );
  const making = new Set(
    contracts.flatMap(({ derivedFrom }) => (derivedFrom === undefined ? [] : [idOf(derivedFrom)])),
  );
  const announcing = new Set(contracts.flatMap(({ announcedBy }) => announcedBy?.paths ?? []));
  return (kind, object) => {
    const known = kindOf(kind.group, kind.kind);
    const references = [...new Set((byKind.get(idOf(kind)) ?? []).map(({ path }) => path))];
    const referenced = known === undefined ? [] : referencesOf({ ...known, references }, object);
    const made = making.has(idOf(kind)) ? typesMadeBy(known, object) : [];
    return [
      ...[...referenced, ...made].map((named) => ({
        id: `${named.apiGroup}/${named.kind}`,
        version: named.version,
      })),
      ...[...announcing]
        .map((path) => valueAt(object, path))
        .filter((named) => typeof named === "string" && named !== "")
        .map((named) => ({ id: `${kind.group}/${named}` })),
    ];
  };
}

/** Returns the name of a type within the management server: `<group>/<Kind>`. */
export function idOf({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

import type { CustomResourceDefinition } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { compareApiVersions, contractOf } from "../../../shared/contract/version.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { type NamedType, staticKinds } from "../declared-kinds.ts";

/**
 * The types that the CustomResourceDefinitions of the server define, and those of them that are wanted: types that
 * functions name (`static`) and types that stored objects reference. Types are named `<group>/<kind>`.
 */
export class Definitions {
  readonly #static: ReadonlyMap<string, Kind>;
  /** The definitions with the versions in which they are referenced; none: that of the contract labels. */
  readonly #referenced = new Map<string, Set<string>>();
  /** Snapshots without the mark `status.watched`. */
  readonly #crds = new Map<string, CustomResourceDefinition>();

  constructor(functions: readonly AnyFunction[], secrets?: "get" | "watch") {
    this.#static = staticKinds(functions, secrets);
  }

  of(id: string): CustomResourceDefinition | undefined {
    return this.#crds.get(id);
  }

  replace(crds: readonly CustomResourceDefinition[]): void {
    this.#crds.clear();
    for (const crd of crds) this.#crds.set(definedBy(crd), crd);
  }

  put(crd: CustomResourceDefinition): void {
    this.#crds.set(definedBy(crd), crd);
  }

  delete(crd: CustomResourceDefinition): void {
    this.#crds.delete(definedBy(crd));
  }

  /** Adds a reference. Returns false when it was known already. */
  addReference({ id, version }: NamedType): boolean {
    const known = this.#referenced.get(id);
    if (known !== undefined && (version === undefined || known.has(version))) return false;
    this.#referenced.set(id, new Set([...(known ?? []), ...(version === undefined ? [] : [version])]));
    return true;
  }

  isStatic(id: string): boolean {
    return this.#static.has(id);
  }

  wanted(which: "static" | "all"): readonly string[] {
    return [...this.#static.keys(), ...(which === "all" ? this.#referenced.keys() : [])];
  }

  /** Returns the kinds that functions name and that the server does not serve. */
  unserved(): readonly Kind[] {
    return [...this.#static].filter(([id]) => this.choose(id) === undefined).map(([, kind]) => kind);
  }

  /** Returns the kind, in the version to watch; undefined when it is not wanted or not served. */
  choose(id: string): Kind | undefined {
    const crd = this.#crds.get(id);
    const known = this.#static.get(id);
    if (known !== undefined) {
      const isBuiltIn = known.crd === undefined;
      return isBuiltIn || isServed(crd, known.version) ? known : undefined;
    }
    const versions = this.#referenced.get(id);
    return crd === undefined || versions === undefined ? undefined : providerKind(crd, versions);
  }
}

/** Returns the name of the type that a CustomResourceDefinition defines. */
export function definedBy({ spec }: CustomResourceDefinition): string {
  return `${spec.group}/${spec.names.kind}`;
}

/** Returns the kind in the version of the contract labels, else in the highest that is referenced and served. */
function providerKind(crd: CustomResourceDefinition, referenced: ReadonlySet<string>): Kind | undefined {
  const [exact] = [...referenced].filter((version) => isServed(crd, version)).toSorted(compareApiVersions);
  const version = contractOf(crd)?.version ?? exact;
  if (version === undefined) return undefined;
  const { group, names, scope } = crd.spec;
  return { group, version, kind: names.kind, plural: names.plural, namespaced: scope !== "Cluster" };
}

function isServed(crd: CustomResourceDefinition | undefined, version: string): boolean {
  return crd?.spec.versions.some(({ name, served }) => name === version && served) === true;
}

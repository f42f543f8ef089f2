/**
 * When a field that has no value, or the value that Go takes for none (`""`, 0, false, an empty list or object), is
 * written: never, where it was given, or wherever the object around it is written.
 */
export type Empty = "drop" | "keep" | "always";

/** Forms that a value has in an older version and not in v1beta2; `values.ts` converts them. */
export type Form = "duration" | "reference" | "template" | "node" | "failureDomains" | "phase" | "group";

/**
 * How one field of v1beta2 stands in an older version. A field without a rule is the same in both; an empty value of it is
 * dropped where v1beta2 refuses one, and otherwise kept.
 */
export interface Rule {
  /** Path in v1beta2, from the object or the element of a list. */
  readonly at: string;
  /** The same in the older version; `null`: it has no such field. Default: as in v1beta2. */
  readonly old?: string | null;
  readonly as?: Form;
  /** Empty values on the way to v1beta2. */
  readonly up?: Empty;
  /** Empty values on the way to the older version. */
  readonly down?: Empty;
  /** Kept in the annotation: `empty`: that the value was given and is empty; `whole`: the value itself. */
  readonly restored?: "empty" | "whole";
  /** Rules of the elements of a list. */
  readonly items?: readonly Rule[];
  /** Empty elements of the list are null in the older version. */
  readonly hasNull?: true;
  /** A JSON schema, which has others in its members. */
  readonly isSchema?: true;
}

/** A field that only the older version has; it is lost. `schema` is in the dialect of CustomResourceDefinitions. */
interface LostField {
  readonly old: string;
  readonly schema: object;
}

/** The fields of a kind in one older version that are not as in v1beta2. */
export interface OlderVersion {
  readonly rules: readonly Rule[];
  /** Rules of fields that are lost, by the list in v1beta2 whose elements have them; `""`: the object itself. */
  readonly lost?: { readonly [list: string]: readonly LostField[] };
  /** An annotation keeps the fields that rules call `restored`. */
  readonly isAnnotated?: true;
  /** `spec.clusterName` is a label. */
  readonly hasClusterLabel?: true;
  /** Clients are not warned of it. */
  readonly isCurrent?: true;
}

export const moved = (at: string, old: string, more: Partial<Rule> = {}): Rule => ({ at, old, ...more });
/** Fields that the older version always has, also without a value. */
export const written = (...paths: readonly string[]): readonly Rule[] =>
  paths.map((at) => ({ at, down: "always" }));
/** Fields whose empty value means something in both. */
export const kept = (...paths: readonly string[]): readonly Rule[] =>
  paths.map((at) => ({ at, up: "keep", down: "keep" }));
/** Fields that both versions always have. */
export const both = (...paths: readonly string[]): readonly Rule[] =>
  paths.map((at) => ({ at, up: "always", down: "always" }));

import { type ContractReference, groupOf } from "../kinds.ts";
import type { Place } from "./moved-fields.ts";

/** A reference to an object in the same namespace, in exactly this version. */
interface VersionedReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Returns `{apiGroup, kind, name}` of an ObjectReference, without its other fields. Throws Error when one of
 * the three is missing, or when the object is in another namespace, which v1beta2 cannot express.
 */
export function toContractReference(reference: unknown, place: Place): ContractReference {
  const { apiVersion, kind, name } = toVersionedReference(reference, place);
  return { apiGroup: groupOf(apiVersion), kind, name };
}

/** Returns `{apiVersion, kind, name}` of it, for a field that names an exact version. Throws as `toContractReference`. */
export function toVersionedReference(reference: unknown, { field, namespace }: Place): VersionedReference {
  const given = typeof reference === "object" && reference !== null ? reference : {};
  const textAt = (member: string): string => {
    const value: unknown = Reflect.get(given, member);
    if (typeof value === "string" && value !== "") return value;
    throw new Error(`${field}.${member}: is missing; a reference has apiVersion, kind and name`);
  };
  const apiVersion = textAt("apiVersion");
  if (groupOf(apiVersion) === "") {
    throw new Error(
      `${field}.apiVersion: "${apiVersion}" has no group; write that of the provider's kind, such as infrastructure.example.com/v1beta1`,
    );
  }
  const elsewhere: unknown = Reflect.get(given, "namespace") ?? namespace;
  if (elsewhere !== namespace && elsewhere !== "") {
    throw new Error(
      `${field}.namespace: "${elsewhere}" is not the object's own (${namespace}); v1beta2 has no references into other namespaces`,
    );
  }
  return { apiVersion, kind: textAt("kind"), name: textAt("name") };
}

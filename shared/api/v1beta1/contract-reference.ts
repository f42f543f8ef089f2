import type { Place } from "./moved-fields.ts";

/** A reference of v1beta2: the version comes from the CRD's contract labels, the namespace is the object's own. */
interface ContractReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Returns `{apiGroup, kind, name}` of an ObjectReference, without its other fields. Throws Error when one of
 * the three is missing, or when the object is in another namespace, which v1beta2 cannot express.
 */
export function toContractReference(reference: unknown, { field, namespace }: Place): ContractReference {
  const given = typeof reference === "object" && reference !== null ? reference : {};
  const textAt = (member: string): string => {
    const value: unknown = Reflect.get(given, member);
    if (typeof value === "string" && value !== "") return value;
    throw new Error(`${field}.${member}: is missing; a reference has apiVersion, kind and name`);
  };
  const [apiGroup = "", version] = textAt("apiVersion").split("/");
  if (version === undefined) {
    throw new Error(
      `${field}.apiVersion: "${apiGroup}" has no group; write that of the provider's kind, such as infrastructure.example.com/v1beta1`,
    );
  }
  const elsewhere: unknown = Reflect.get(given, "namespace") ?? namespace;
  if (elsewhere !== namespace && elsewhere !== "") {
    throw new Error(
      `${field}.namespace: "${elsewhere}" is not the object's own (${namespace}); v1beta2 has no references into other namespaces`,
    );
  }
  return { apiGroup, kind: textAt("kind"), name: textAt("name") };
}

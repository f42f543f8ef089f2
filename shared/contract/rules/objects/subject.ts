import type { ContractVersion, KubeObject, ObjectKey, ObjectMeta } from "../../../api/kinds.ts";
import type { ContractRole } from "../crd/contract-kinds.ts";
import type { Place, Rule } from "../rule.ts";

/** An object of a provider, with those around it (A3). */
export interface ObjectSubject {
  readonly object: KubeObject;
  /** The role; undefined: an object of a provider that no contract reads. */
  readonly role: ContractRole | undefined;
  readonly contract: ContractVersion;
  readonly now: Date;
  readonly around: Around;
}

export type ObjectRule = Rule<ObjectSubject>;

/** The objects around the judged one. */
export interface Around {
  secret(key: ObjectKey): SecretFacts | Unseen;
  /** Namespaces that have a Secret of this name. */
  namespacesOfSecret(name: string): readonly string[];
  /** Objects of a kind, in one namespace or in all, by the text at a path in them. */
  objectsBy(path: string, type: ObjectType, namespace?: string): ObjectsBy;
  lineage(object: KubeObject): Lineage;
  place(object: KubeObject): Place;
}

export interface ObjectType {
  readonly group: string;
  readonly kind: string;
}

interface ObjectsBy {
  with(text: string): readonly KubeObject[];
  /** How many of them have a text there. */
  readonly size: number;
  /** Other objects may exist: the list was refused, or the documents are not all. */
  readonly partial: string | undefined;
}

/** An object that was not found. */
export interface Unseen {
  /** `get secrets: Forbidden`, `is not among the documents` */
  readonly why: string;
  /** The server has said that it does not exist. */
  readonly isAbsent: boolean;
}

/** All that rules may know of a Secret: no value of it. */
export interface SecretFacts {
  readonly metadata: Pick<ObjectMeta, "name" | "namespace" | "labels" | "ownerReferences">;
  readonly type: string | undefined;
  /** Keys, and whether their value is empty. */
  readonly keys: ReadonlyMap<string, "filled" | "empty">;
  /** Whether the text in key `value` creates the file that says that the boot was successful. */
  readonly bootMark: "there" | "missing" | "not text";
  /** The facts of key `value`. */
  readonly kubeconfig: KubeconfigFacts;
}

export interface KubeconfigFacts {
  /** It names a server. */
  readonly isUsable: boolean;
  readonly client: "certificate" | "unreadable certificate" | "other";
  /** The validity of the client certificate. */
  readonly validity?: { readonly notBefore: Date; readonly notAfter: Date } | undefined;
}

/** The place of an object in the tree of owners. */
export interface Lineage {
  /** Whether it moves, by a label of move or by a chain of owners that ends at one whose hierarchy moves. */
  readonly moves: boolean;
  readonly owners: readonly {
    readonly title: string;
    readonly moves: boolean;
    /** Why it was not seen; absent where it was found. */
    readonly unseen?: Unseen | undefined;
  }[];
}

export function isUnseen(found: SecretFacts | Unseen): found is Unseen {
  return "isAbsent" in found;
}

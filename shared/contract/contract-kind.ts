import type { Kind } from "../api/kinds.ts";

/** Objects of any kind that an object of a core kind references at one of these paths. */
export interface ContractKind {
  /** `InfrastructureMachinePool`, `BootstrapConfig`, … as in the contract documents. */
  readonly contract: string;
  readonly referencedBy: readonly { readonly kind: Kind; readonly path: string }[];
  /** Objects that others are cloned from: their kinds, and no other kinds, end in `Template`. */
  readonly isTemplate?: true;
  /** Objects that are made from the templates which objects of this kind reference (`templates` of that kind). */
  readonly derivedFrom?: Kind;
  /** Provider objects that name such a kind, of their own group, at one of these paths: nothing references it yet. */
  readonly announcedBy?: { readonly kind: ContractKind; readonly paths: readonly string[] };
}

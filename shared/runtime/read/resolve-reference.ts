import { CustomResourceDefinition } from "../../api/core.ts";
import type { ContractReference } from "../../api/kinds.ts";
import { definitionsOf, type Resolved, resolveAmong } from "../../contract/referenced.ts";
import type { KubeClient, Store } from "../ports.ts";
import { readListed } from "./listed.ts";
import { managementType } from "./management-type.ts";

const DEFINITIONS = managementType(CustomResourceDefinition);

/**
 * Resolves kind and version of a provider object, from its CRD's contract labels; the object's own apiVersion plays no
 * part.
 * Source: PC-2.2.
 */
export async function resolveReference(
  store: Pick<Store, "list">,
  reference: ContractReference,
): Promise<Resolved> {
  const named = await store.list(DEFINITIONS, definitionsOf(reference));
  return resolveAmong(named as readonly CustomResourceDefinition[], reference);
}

/** Does the same for a run: by a list of CRDs that is complete. */
export async function resolveListedReference(
  store: Pick<Store, "read">,
  reference: ContractReference,
): Promise<Resolved> {
  const named = await readListed(store, DEFINITIONS, definitionsOf(reference));
  return resolveAmong(named as readonly CustomResourceDefinition[], reference);
}

/** Reads CRDs live: a definition that is gone takes all its objects with it. */
export async function crdExistsLive(client: KubeClient, reference: ContractReference): Promise<boolean> {
  const { items } = await client.list(CustomResourceDefinition, {});
  return items.some(({ spec }) => spec.group === reference.apiGroup && spec.names.kind === reference.kind);
}

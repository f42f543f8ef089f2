import { CustomResourceDefinition } from "../../api/core.ts";
import type { Kind } from "../../api/kinds.ts";
import { segmentsOf } from "../../api/path.ts";
import type { Store } from "../ports.ts";
import { managementType } from "../read/management-type.ts";

type Json = { readonly [field: string]: unknown };

/**
 * Returns what an apply sends without the fields that the definition on the server lacks, as the relay has found (decision
 * record 20): the server would refuse all of it.
 */
export async function servedPart(
  body: Json,
  { plural, group }: Kind,
  store: Pick<Store, "get"> | undefined,
): Promise<Json> {
  const key = { namespace: "", name: `${plural}.${group}` };
  const found = await store?.get(managementType(CustomResourceDefinition), key);
  const { lacks = [] } = (found as CustomResourceDefinition | undefined)?.status ?? {};
  return lacks.reduce((part, path) => without(part, segmentsOf(path)), body);
}

/** Removes a field, and parents that have nothing left: many definitions want at least one. */
function without(value: Json, [head = "", ...below]: readonly string[]): Json {
  const { [head]: inner, ...others } = value;
  if (below.length === 0 || typeof inner !== "object" || inner === null) return others;
  const left = without(inner as Json, below);
  return Object.keys(left).length === 0 ? others : { ...others, [head]: left };
}

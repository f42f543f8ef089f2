import { groupOf, type Kind, type KubeObject } from "../../api/kinds.ts";
import type { Reader } from "../../function/reads.ts";

/** The field of a dependent that says who owns it. */
export const OWNER_FIELDS = ["metadata.ownerReferences"] as const;

/**
 * The owner of `object` that is of this kind, whatever version its reference carries; `undefined` while there is no
 * such reference, or only one to an earlier object of that name (before a move or restore).
 */
export async function readOwner<T extends KubeObject>(
  kind: Kind<T>,
  object: KubeObject,
  read: Reader,
): Promise<T | undefined> {
  const reference = (object.metadata.ownerReferences ?? []).find(
    (owner) => groupOf(owner.apiVersion) === kind.group && owner.kind === kind.kind,
  );
  if (reference === undefined) return undefined;
  const owner = await read.get(kind, { namespace: object.metadata.namespace ?? "", name: reference.name });
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

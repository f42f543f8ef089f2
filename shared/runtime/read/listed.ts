import type { Selection } from "../../api/indexes.ts";
import type { KubeObject, ObjectKey } from "../../api/kinds.ts";
import type { Store, TypeKey } from "../ports.ts";

/**
 * A kind whose list is not complete, or no longer: stored objects may be of an earlier time, and missing ones may still
 * exist (KR-22). The run comes back soon.
 */
export class NotListedError extends Error {
  /** Why the server lets no relay list the kind, with the next step. */
  readonly refusal: string | undefined;

  constructor(type: TypeKey, refusal?: string) {
    const why = refusal === undefined ? "" : `: ${refusal}`;
    super(`the list of ${type.kind} on ${type.cluster} is not complete${why}`);
    this.name = "NotListedError";
    this.refusal = refusal;
  }
}

/**
 * Reads an object, or a list, of a kind whose list is complete. While it is, snapshots only become newer, so no run sees
 * less than what has woken it or than an earlier run.
 */
export async function readListed(
  store: Pick<Store, "read">,
  type: TypeKey,
  asked: ObjectKey | Selection,
): Promise<readonly KubeObject[]> {
  const { found, progress } = await store.read(type, asked);
  if (!progress.ready) throw new NotListedError(type, progress.refusal);
  return found;
}

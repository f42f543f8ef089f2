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
 * Snapshots of a kind while its list is complete. While it is, snapshots only become newer, so no run sees less than
 * what has woken it or than an earlier run. The read model may be lost, or go back to an earlier time, between
 * two calls: it is asked before the read and once more behind it.
 */
export async function whileListed<T>(store: Store, type: TypeKey, read: () => Promise<T>): Promise<T> {
  await requireListed(store, type);
  const found = await read();
  await requireListed(store, type);
  return found;
}

async function requireListed(store: Store, type: TypeKey): Promise<void> {
  const { ready, refusal } = await store.progress(type);
  if (!ready) throw new NotListedError(type, refusal);
}

import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { kindIn, type Scratch } from "./scratch.ts";

/** The attempts of a delete whose object changes between read and delete. */
const ATTEMPTS = 10;

interface Proof {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Deletes an object of the namespace, and nothing of its name with another uid. */
export async function remove({ client, namespace, kinds }: Scratch, object: KubeObject): Promise<void> {
  const kind = kindIn(kinds, object);
  const { uid, name } = object.metadata;
  if (kind === undefined || uid === undefined) return;
  const key = { namespace, name };
  await removeProven(
    () => client.get(kind, key),
    (proof) => client.delete(kind, key, proof),
    uid,
  );
}

/** Deletes what a live read has just shown, and nothing of another uid. */
export async function removeProven(
  read: () => Promise<KubeObject | undefined>,
  erase: (proof: Proof) => Promise<unknown>,
  uid: string,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const metadata = (await read())?.metadata;
    const { resourceVersion, deletionTimestamp } = metadata ?? {};
    if (metadata?.uid !== uid || resourceVersion === undefined || deletionTimestamp !== undefined) return;
    try {
      await erase({ uid, resourceVersion });
      return;
    } catch (error) {
      if (!(error instanceof KubeError) || error.class !== "Conflict" || attempt >= ATTEMPTS) throw error;
    }
  }
}

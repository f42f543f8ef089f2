import { objectKeyOf, workloadCluster } from "../../../shared/api/kinds.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { WorkloadConnection } from "./connection.ts";
import { CONNECTION_TYPE } from "./connection-record.ts";
import type { Share } from "./share.ts";

interface RefillOptions {
  readonly store: Store;
  readonly delivery: Pick<Delivery, "remove">;
  readonly signal: AbortSignal;
  /** The Connections that this relay refills; default: all. */
  readonly share?: Pick<Share, "isOurs"> | undefined;
}

/**
 * Refills a store that is new or has lost data: it has old Connections, or none. The type is complete (KR-22) once all
 * known Connections are published again and all others removed.
 */
export interface Refill {
  /**
   * Refills the store if necessary. Resolves with whether it was, at once while an earlier look is under way. Never
   * rejects; a store that does not answer is asked again by the next call.
   */
  look(): Promise<boolean>;
}

/** Starts with a first look. `followed` holds the connections by the name of their Cluster, now and later. */
export function startRefill(
  { store, delivery, signal, share }: RefillOptions,
  followed: ReadonlyMap<string, { readonly connection: Pick<WorkloadConnection, "republish"> }>,
): Refill {
  let isLooking: boolean = false;
  const refill = async (): Promise<boolean> => {
    if ((await store.progress(CONNECTION_TYPE)).ready) return false;
    await store.advance(CONNECTION_TYPE, { ready: false });
    const left = await store.list(CONNECTION_TYPE, {});
    const known = new Set<string>();
    await Promise.all(
      [...followed].map(async ([cluster, { connection }]) => {
        if (await connection.republish()) known.add(cluster);
      }),
    );
    for (const stored of left) {
      const isKnown = known.has(workloadCluster(objectKeyOf(stored))) || share?.isOurs(stored) === false;
      // A Connection that is published meanwhile is newer, and stays.
      if (!isKnown) await delivery.remove(CONNECTION_TYPE, stored);
    }
    await store.advance(CONNECTION_TYPE, { ready: true });
    return true;
  };
  const look = async (): Promise<boolean> => {
    if (isLooking || signal.aborted) return false;
    isLooking = true;
    try {
      return await refill();
    } catch {
      return false;
    } finally {
      isLooking = false;
    }
  };
  void look();
  return { look };
}

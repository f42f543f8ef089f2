import { SECOND } from "../../../shared/function/backoff.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import { ExpiringMap } from "./expiring-map.ts";

/**
 * The runs a second of each namespace (S-31), as instants at which its keys may run: after a rest those of a whole
 * second at once, then one after the other at equal distances. `putOff` in `lua/lease.lua` does the same on Redis.
 */
export class NamespaceBudgets {
  /** Until when the runs of a namespace are given away. */
  readonly #spent = new ExpiringMap<number>();

  /** Returns when a key may run, and gives that instant away; ms of the caller's clock. */
  take(now: number, key: Key, perSecond: number): number {
    const namespace = namespaceOfKey(key);
    const spent = (this.#spent.get(now, namespace) ?? now) + SECOND / perSecond;
    this.#spent.set(now, namespace, { value: spent, until: spent });
    return Math.ceil(spent - SECOND);
  }
}

/** Returns the namespace of the Cluster of a key, the part before its first `/`; all of a key without one. */
function namespaceOfKey(key: Key): string {
  const end = key.indexOf("/");
  return end < 0 ? key : key.slice(0, end);
}

import type { KubeObject } from "../../api/kinds.ts";
import { done, type Result, waitFor } from "../../function/result.ts";
import { isDeleting } from "./deletion.ts";
import { FINALIZER_FIELDS, hasFinalizer } from "./finalizers.ts";
import { isPaused, PAUSE_FIELDS, type Pausing, pausedBy } from "./paused.ts";

/** The fields of an object that decide whether functions work on it. */
export const HOLD_FIELDS = [...FINALIZER_FIELDS, ...PAUSE_FIELDS] as const;
/** Those that decide the same where no finalizer is needed. */
export const REST_FIELDS = ["metadata.deletionTimestamp", ...PAUSE_FIELDS] as const;
/** The fields of a Cluster that decide the same about its objects. */
export const PAUSING_FIELDS = ["metadata.uid", "spec.paused"] as const;

/**
 * Returns why `adopt`, `sync` and the functions with effects elsewhere leave an object alone: it is being deleted, its
 * Cluster does not exist, it is paused, or `guard` has not added `finalizer` yet. `undefined`: they may work on it.
 * A Cluster is its own `cluster`.
 */
export function hold(
  object: KubeObject,
  cluster: Pausing | undefined,
  finalizer: string,
): Result | undefined {
  if (isDeleting(object)) return done;
  if (cluster === undefined) return waitFor("Cluster.metadata.uid");
  const pause = pausedBy(cluster, object);
  return pause === undefined ? unguarded(object, finalizer) : waitFor(pause);
}

/** Returns what `status` waits for before it says anything about an object that lives: `guard` adds `finalizer` first. */
export function unguarded(object: KubeObject, finalizer: string): Result | undefined {
  return isDeleting(object) || hasFinalizer(object, finalizer)
    ? undefined
    : waitFor(`${object.kind}.metadata.finalizers`);
}

/** Returns whether nothing but the deletion works on an object: it is being deleted, or it is paused. */
export function isAtRest(object: KubeObject, cluster: Pausing | undefined): boolean {
  return isDeleting(object) || isPaused(cluster, object);
}

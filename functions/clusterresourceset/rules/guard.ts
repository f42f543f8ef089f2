import { type Guard, PAUSE_FIELDS, pausedBy } from "../../../shared/function/guards.ts";
import { waitFor } from "../../../shared/function/result.ts";

/** The finalizer by which a set stays until no binding names it. */
export const RESOURCE_SET_FINALIZER = "addons.cluster.x-k8s.io";

/** Lets a set pass that its own annotation does not pause: it belongs to no Cluster. */
export const unpausedSet: Guard = {
  fields: PAUSE_FIELDS,
  isPause: true,
  refuses(set) {
    const pause = pausedBy(undefined, set);
    return pause === undefined ? undefined : waitFor(pause);
  },
};

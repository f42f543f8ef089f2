import { type Guard, unpaused } from "../../../shared/function/guards.ts";

/** The finalizer by which a set stays until no binding names it. */
export const RESOURCE_SET_FINALIZER = "addons.cluster.x-k8s.io";

const { asksCluster: _, ...ofItself } = unpaused;
/** Lets a set pass that its own annotation does not pause: it belongs to no Cluster. */
export const unpausedSet: Guard = ofItself;

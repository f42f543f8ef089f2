import { Cluster } from "../api/cluster/cluster.ts";
import { PAUSED_ANNOTATION } from "../api/indexes.ts";
import type { KubeObject, ObjectKey } from "../api/kinds.ts";
import { valueAt } from "../api/path.ts";
import type { Reader } from "./reads.ts";
import { done, type Result, waitFor } from "./result.ts";

/**
 * One reason to leave an object alone, as a function declares it in `when`. It is asked before the step runs, and again
 * of the live view (`live` of the context).
 */
export interface Guard<T extends KubeObject = KubeObject> {
  /** Fields of the object by which it decides; they wake the function. */
  readonly fields: readonly string[];
  /** It is asked about the Cluster, too, whose `PAUSING_FIELDS` wake the function. */
  readonly asksCluster?: true;
  /** No other object matters while it refuses one, so that nothing wakes the function for it. */
  readonly isIdle?: boolean;
  /** The fact that passing it proves: the object has a Cluster. */
  readonly proves?: "cluster";
  /** It refuses paused objects: `whilePaused` of a function still writes about these. */
  readonly isPause?: true;
  /** Returns the result for an object that is left alone; `undefined`: it may be worked on. */
  refuses(object: T, cluster: Cluster | undefined): Result | undefined;
}

/** The field that `hasFinalizer` reads. */
export const FINALIZERS = "metadata.finalizers";
/** The fields that say whether an object has a finalizer, and may still get one. */
export const FINALIZER_FIELDS = [FINALIZERS, "metadata.deletionTimestamp"] as const;

/** Annotation that clusterctl writes on an object of the source just before it deletes it; its value is ignored. */
const DELETE_FOR_MOVE = "clusterctl.cluster.x-k8s.io/delete-for-move";
/** The fields of an object itself that say whether it is paused. */
export const PAUSE_FIELDS = [
  `metadata.annotations[${PAUSED_ANNOTATION}]`,
  `metadata.annotations[${DELETE_FOR_MOVE}]`,
] as const;
/** The fields of an object that decide whether functions work on it. */
export const HOLD_FIELDS = [...FINALIZER_FIELDS, ...PAUSE_FIELDS] as const;
/** The fields of a Cluster that decide the same about its objects. */
export const PAUSING_FIELDS = ["metadata.uid", "spec.paused"] as const;

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function hasFinalizer(object: KubeObject, name: string): boolean {
  return object.metadata.finalizers?.includes(name) ?? false;
}

/** The part of a Cluster that pausing looks at. */
export interface Pausing {
  readonly spec?: { readonly paused?: boolean | undefined } | undefined;
}

/**
 * Whether an object is deleted here because it lives on in another management cluster: what it stands for stays as it
 * is, and its finalizers are the mover's.
 */
export function isLetGo({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, DELETE_FOR_MOVE);
}

/** Returns what pauses an object, as the condition `Paused` says it; `kindName` is the kind as people read it. */
export function pauses(
  cluster: Pausing | undefined,
  object: KubeObject,
  kindName: string,
): readonly string[] {
  return [
    ...(cluster?.spec?.paused === true ? ["Cluster spec.paused is set to true"] : []),
    ...(Object.hasOwn(object.metadata.annotations ?? {}, PAUSED_ANNOTATION)
      ? [`${kindName} has the ${PAUSED_ANNOTATION} annotation`]
      : []),
    ...(object.metadata.standsBack === undefined ? [] : [object.metadata.standsBack]),
  ];
}

/**
 * Whether the object is paused by its Cluster, by its own annotation, whose value is ignored, or because a mover
 * deletes it here: such an object is left alone, too, and says nothing of it.
 */
export function isPaused(cluster: Pausing | undefined, object: KubeObject): boolean {
  return pauses(cluster, object, object.kind).length > 0 || isLetGo(object);
}

/** The field that has to change before a paused object is worked on again; `undefined` when it is not paused. */
export function pausedBy(cluster: Pausing | undefined, object: KubeObject): string | undefined {
  if (cluster?.spec?.paused === true) return "Cluster.spec.paused";
  if (isLetGo(object)) return `${object.kind} deleted`;
  if (object.metadata.standsBack !== undefined) return object.metadata.standsBack;
  return isPaused(cluster, object) ? `${object.kind}.metadata.annotations[${PAUSED_ANNOTATION}]` : undefined;
}

/** Returns whether nothing but the deletion works on an object: it is being deleted, or it is paused. */
export function isAtRest(object: KubeObject, cluster: Pausing | undefined): boolean {
  return isDeleting(object) || isPaused(cluster, object);
}

/** An object of a Cluster: a Machine, MachineSet, MachinePool, MachineHealthCheck or RemediationPolicy. */
type Member = KubeObject & { readonly spec: { readonly clusterName: string } };

/** Returns where the Cluster of an object is: in the object's own namespace. */
export function clusterKeyOf({ metadata, spec }: Member): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: spec.clusterName };
}

/** Returns the Cluster of an object, from snapshots or, given `read.live`, from the API server. */
export async function readCluster(read: Pick<Reader, "get">, object: Member): Promise<Cluster | undefined> {
  return read.get(Cluster, clusterKeyOf(object));
}

/** The object is not being deleted. */
export const living: Guard = {
  fields: ["metadata.deletionTimestamp"],
  refuses: (object) => (isDeleting(object) ? done : undefined),
};

/** The object is being deleted. */
export const deleting: Guard = {
  fields: ["metadata.deletionTimestamp"],
  refuses: (object) => (isDeleting(object) ? undefined : done),
};

/** The Cluster of the object exists. */
export const hasCluster: Guard & { readonly proves: "cluster" } = {
  fields: [],
  asksCluster: true,
  proves: "cluster",
  refuses: (_, cluster) => (cluster === undefined ? waitFor("Cluster.metadata.uid") : undefined),
};

/** An object that lives has a Cluster; one that is deleted may have outlived it. */
export const hasClusterWhileLiving: Guard = {
  fields: ["metadata.deletionTimestamp"],
  asksCluster: true,
  refuses: (object, cluster) => (isDeleting(object) ? undefined : hasCluster.refuses(object, cluster)),
};

/** The Cluster of the object is not being deleted. */
export const clusterLives: Guard = {
  fields: [],
  asksCluster: true,
  refuses: (_, cluster) => (cluster !== undefined && isDeleting(cluster) ? done : undefined),
};

/** Lets an object pass when neither it nor its Cluster is paused. A Cluster is its own Cluster. */
export const unpaused: Guard = {
  fields: PAUSE_FIELDS,
  asksCluster: true,
  isPause: true,
  refuses(object, cluster) {
    const pause = pausedBy(cluster, object);
    return pause === undefined ? undefined : waitFor(pause);
  },
};

/** The object is neither paused nor being deleted; an end of the pause wakes the function. */
export const awake: Guard = {
  fields: ["metadata.deletionTimestamp", ...PAUSE_FIELDS],
  asksCluster: true,
  refuses: (object, cluster) => (isAtRest(object, cluster) ? done : undefined),
};

/** Whether nothing wakes a function for an object without finalizer. Default: true. */
interface Idleness {
  readonly isIdle?: boolean;
}

/** The object lives and `guard` has added its finalizer, or it is being deleted. */
export function guarded(finalizer: string, { isIdle = true }: Idleness = {}): Guard {
  return {
    fields: FINALIZER_FIELDS,
    isIdle,
    refuses: (object) =>
      isDeleting(object) || hasFinalizer(object, finalizer)
        ? undefined
        : waitFor(`${object.kind}.metadata.finalizers`),
  };
}

/** The finalizer of `guard` is there, also in a deletion. */
export function kept(finalizer: string): Guard {
  return {
    fields: [FINALIZERS],
    isIdle: true,
    refuses: (object) =>
      hasFinalizer(object, finalizer) ? undefined : waitFor(`${object.kind}.metadata.finalizers`),
  };
}

/** The object has a field. */
export function has(field: string): Guard {
  return {
    fields: [field],
    isIdle: true,
    refuses: (object) =>
      valueAt(object, field) === undefined ? waitFor(`${object.kind}.${field}`) : undefined,
  };
}

/**
 * The guards of `adopt`, `sync` and the functions with effects elsewhere: the object lives, its Cluster exists, neither
 * is paused, and `guard` has added the finalizer.
 */
export function workable(finalizer: string, idleness?: Idleness) {
  return [living, hasCluster, unpaused, guarded(finalizer, idleness)] as const;
}

/** Returns the first guard that refuses an object, with its result; `undefined`: it may be worked on. */
export function refusedBy<T extends KubeObject>(
  guards: readonly Guard<T>[],
  object: T,
  cluster: Cluster | undefined,
): { readonly guard: Guard<T>; readonly result: Result } | undefined {
  for (const guard of guards) {
    const result = guard.refuses(object, cluster);
    if (result !== undefined) return { guard, result };
  }
  return undefined;
}

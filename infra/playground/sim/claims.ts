import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { hasFinalizer, isDeleting, isPaused } from "../../../shared/function/guards.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { removeFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { CLOUD_FINALIZER } from "../api/sim-cloud.ts";
import { keyOf } from "./follow.ts";

/** A management cluster that the cloud serves. */
export interface Management {
  /** The name for logs; each has its own. */
  readonly name: string;
  readonly client: KubeClient;
  /** Its Clusters, by `<namespace>/<name>`. */
  readonly clusters: Map<string, Cluster>;
}

/** An object that stands for a thing of the cloud. */
export type CloudObject = KubeObject & { readonly spec: { readonly clusterName: string } };

/** An object of one management cluster says that a thing of the cloud is wanted. */
export interface Claim<T extends CloudObject> {
  readonly management: Management;
  readonly object: T;
}

/** A server or an instance. Objects that stand for it come and go, here and there; its identity stays. */
export interface Thing<T extends CloudObject> {
  readonly id: string;
  /** The claims by place. None: its last object was let go, and it runs on. */
  readonly claims: Map<string, Claim<T>>;
  /** The last that was noted, also when it is gone. */
  last: Claim<T>;
  /** Switched off, or to be: the only object that stood for it was deleted for good. */
  isOver: boolean;
}

/** The things of one kind, and the objects that stand for them. */
export interface Claims<T extends CloudObject> {
  readonly things: Map<string, Thing<T>>;
  /** The thing for which the object with this key stands. */
  idAt(management: Management, key: string): string | undefined;
  note(management: Management, object: T, isGone: boolean): void;
}

export interface ClaimsOptions<T> {
  readonly idOf: (object: T) => string;
  /** Called with the id of a thing whose objects have changed. */
  readonly onChange: (id: string) => void;
}

/** Returns where an object is: the management cluster, then the key. */
export function placeOf({ management, object }: Claim<CloudObject>): string {
  return placeAt(management, keyOf(object));
}

function placeAt({ name }: Management, key: string): string {
  return `${name} ${key}`;
}

/**
 * Keeps the things of one kind. A thing ends by proof only: an object that is being deleted, is neither let go nor paused,
 * and is the only one. An object that vanishes although the cloud's finalizer was on it has been let go. One without
 * that finalizer is taken at its last word.
 */
export function createClaims<T extends CloudObject>({ idOf, onChange }: ClaimsOptions<T>): Claims<T> {
  const things = new Map<string, Thing<T>>();
  const ids = new Map<string, string>();

  function drop(id: string, last: Claim<T>): void {
    const place = placeOf(last);
    ids.delete(place);
    const thing = things.get(id);
    const claim = thing?.claims.get(place);
    if (thing === undefined || claim === undefined) return;
    thing.claims.delete(place);
    thing.last = last;
    const isUnproven = hasFinalizer(claim.object, CLOUD_FINALIZER) || isHeld(last);
    if (thing.claims.size === 0 && !isUnproven) thing.isOver = true;
    onChange(id);
  }

  return {
    things,
    idAt: (management, key) => ids.get(placeAt(management, key)),
    note(management, object, isGone) {
      const claim: Claim<T> = { management, object };
      const place = placeOf(claim);
      const id = idOf(object);
      const before = ids.get(place);
      if (before !== undefined && (isGone || before !== id)) drop(before, claim);
      if (isGone) return;
      const thing = things.get(id) ?? { id, claims: new Map(), last: claim, isOver: false };
      things.set(id, thing);
      thing.claims.set(place, claim);
      thing.last = claim;
      ids.set(place, id);
      onChange(id);
    },
  };
}

/** Whether an object is paused, by its Cluster or itself, or let go: nothing is written to it, and nothing ends with it. */
export function isHeld({ management, object }: Claim<CloudObject>): boolean {
  return isPaused(management.clusters.get(clusterKeyOf(object)), object);
}

/** Returns `<namespace>/<name>` of the Cluster of an object, which is also the key of its SimServer. */
export function clusterKeyOf({ metadata, spec }: CloudObject): string {
  return `${metadata.namespace ?? ""}/${spec.clusterName}`;
}

/** The objects of a thing: those that want it, the newest first, and those that are being deleted for good. */
export interface Stand<T extends CloudObject> {
  readonly wanting: readonly Claim<T>[];
  readonly leaving: readonly Claim<T>[];
}

/**
 * Judges a thing, and ends it where the management clusters prove, read live, that it may. Throws Error while they say
 * otherwise than the snapshots.
 */
export async function judge<T extends CloudObject>(thing: Thing<T>): Promise<Stand<T>> {
  const claims = [...thing.claims.values()];
  const leaving = claims.filter((claim) => isDeleting(claim.object) && !isHeld(claim));
  const wanting = claims.filter((claim) => !leaving.includes(claim)).toSorted(newestFirst);
  if (thing.isOver || wanting.length > 0 || leaving.length === 0) return { wanting, leaving };
  const held = await Promise.all(leaving.map(isHeldLive));
  if (held.includes(true)) throw new Error("its Cluster has been paused meanwhile: nothing is switched off");
  // Meanwhile it may have been found again elsewhere.
  if (thing.claims.size > leaving.length) return { wanting: leaving, leaving: [] };
  thing.isOver = true;
  return { wanting, leaving };
}

async function isHeldLive({ management: { client }, object }: Claim<CloudObject>): Promise<boolean> {
  const key = { namespace: object.metadata.namespace ?? "", name: object.spec.clusterName };
  try {
    return isPaused(await client.get(Cluster, key), object);
  } catch (error) {
    if (error instanceof KubeError && error.reason === "TypeNotServed") return isPaused(undefined, object);
    throw error;
  }
}

function newestFirst(a: Claim<CloudObject>, b: Claim<CloudObject>): number {
  const at = ({ object }: Claim<CloudObject>) => object.metadata.creationTimestamp ?? "";
  return compareText(at(b), at(a));
}

/** Takes the cloud's finalizer off objects that are being deleted for good. */
export async function release<T extends CloudObject>(
  kind: Kind<T>,
  claims: readonly Claim<T>[],
): Promise<void> {
  await Promise.all(
    claims.map(async ({ management, object }) => {
      const operations = removeFinalizerPatch(object, CLOUD_FINALIZER);
      if (operations.length === 0) return;
      const guard = { op: "test", path: "/metadata/uid", value: object.metadata.uid } as const;
      try {
        await management.client.jsonPatch(kind as Kind, objectKeyOf(object), [guard, ...operations]);
      } catch (error) {
        if (!(error instanceof KubeError) || error.reason !== "NotFound") throw error;
      }
    }),
  );
}

import { withoutMembers } from "../apply/ownership.ts";
import type { ResourceType } from "../kinds/registry.ts";
import type { KubeObject, OwnerReference } from "../objects/kube-object.ts";
import type { VirtualServer } from "../request/request.ts";
import { storeOrRelease } from "../rest/commit.ts";
import { FOREGROUND, ORPHAN, type Propagation, startDeletion } from "../rest/delete.ts";
import type { Change } from "../storage/collection.ts";
import { WorkQueue } from "./work-queue.ts";

interface Found {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

/** `unknown`: it cannot be said whether the owner exists, so the dependent is not collected, whatever its other owners are. */
type OwnerState = "solid" | "waiting" | "absent" | "unknown";

/**
 * Deletes objects whose owners are gone. An owner is found by uid; a reference with another kind, name or
 * namespace than the object with that uid means an absent owner. A reference to a kind that is not served here, or from
 * a cluster-scoped object to a namespaced kind, keeps its dependent as it is.
 */
export class GarbageCollector {
  readonly #server: VirtualServer;
  /** uid of an owner → uids of the objects that name it. */
  readonly #dependents = new Map<string, Set<string>>();
  readonly #queue: WorkQueue;

  constructor(server: VirtualServer) {
    this.#server = server;
    this.#queue = new WorkQueue(server.clock, (uid) => this.#examine(uid));
    server.storage.onChange((_, change) => this.#observe(change));
  }

  stop(): void {
    this.#queue.stop();
  }

  #observe({ type, object, previous }: Change): void {
    const { uid } = object.metadata;
    const owners = object.metadata.ownerReferences ?? [];
    const former = previous?.metadata.ownerReferences ?? [];
    const isGone = type === "DELETED";
    if (owners !== former || isGone) this.#index(uid, former, isGone ? [] : owners);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    if (!isGone && (owners.length > 0 || isDeleting)) this.#queue.add(uid);
    if (isGone) this.#addAll(this.#dependents.get(uid));
    // An owner that is deleted in the foreground waits for this object.
    if (isGone || owners.length < former.length) this.#addAll(former.map((reference) => reference.uid));
  }

  #index(uid: string, former: readonly OwnerReference[], owners: readonly OwnerReference[]): void {
    for (const owner of former) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
  }

  #addAll(uids: Iterable<string> | undefined): void {
    for (const uid of uids ?? []) this.#queue.add(uid);
  }

  #find(uid: string): Found | undefined {
    const location = this.#server.storage.locate(uid);
    const type = location && this.#server.registry.get(location.type);
    const object = location && this.#server.storage.collection(location.type).find(location.key);
    return type && object ? { type, object } : undefined;
  }

  #examine(uid: string): void {
    const found = this.#find(uid);
    if (!found) return;
    const { deletionTimestamp, finalizers = [] } = found.object.metadata;
    if (deletionTimestamp === undefined) this.#examineOwners(found);
    else if (finalizers.includes(ORPHAN)) this.#orphan(found);
    else if (finalizers.includes(FOREGROUND)) this.#awaitDependents(found);
  }

  #examineOwners(found: Found): void {
    const owners = found.object.metadata.ownerReferences ?? [];
    if (owners.length === 0) return;
    const states = owners.map((owner) => this.#stateOf(owner, found.object));
    const gone = owners.filter((_, index) => states[index] !== "solid");
    if (gone.length === 0 || states.includes("unknown")) return;
    if (gone.length < owners.length) {
      this.#store(
        found,
        withoutMembers(found.object, "ownerReferences", (owner) => gone.includes(owner)),
      );
      return;
    }
    const hasDependents = this.#dependents.has(found.object.metadata.uid);
    this.#delete(found, states.includes("waiting") && hasDependents ? "Foreground" : "Background");
  }

  #stateOf(owner: OwnerReference, dependent: KubeObject): OwnerState {
    const slash = owner.apiVersion.indexOf("/");
    const group = slash < 0 ? "" : owner.apiVersion.slice(0, slash);
    const kind = this.#server.registry.findKind(group, owner.kind);
    if (!kind || (kind.namespaced && dependent.metadata.namespace === undefined)) return "unknown";
    const found = this.#find(owner.uid);
    if (!found || found.type.group !== group || found.type.kind !== owner.kind) return "absent";
    const { name, namespace, deletionTimestamp, finalizers } = found.object.metadata;
    if (name !== owner.name || (namespace !== undefined && namespace !== dependent.metadata.namespace))
      return "absent";
    return deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) ? "waiting" : "solid";
  }

  /** Foreground: the owner goes after every dependent that blocks it. */
  #awaitDependents(owner: Found): void {
    const { uid } = owner.object.metadata;
    let isBlocked = false;
    for (const dependent of [...(this.#dependents.get(uid) ?? [])]) {
      const references = this.#find(dependent)?.object.metadata.ownerReferences ?? [];
      isBlocked ||= references.some(
        (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
      );
      this.#queue.add(dependent);
    }
    if (!isBlocked) this.#dropFinalizer(owner, FOREGROUND);
  }

  /** Orphan: the dependents forget the owner, then it goes. */
  #orphan(owner: Found): void {
    const { uid } = owner.object.metadata;
    for (const dependent of [...(this.#dependents.get(uid) ?? [])]) {
      const found = this.#find(dependent);
      if (!found) continue;
      this.#store(
        found,
        withoutMembers(found.object, "ownerReferences", (owner) => owner.uid === uid),
      );
    }
    this.#dropFinalizer(owner, ORPHAN);
  }

  #dropFinalizer(found: Found, finalizer: string): void {
    this.#store(
      found,
      withoutMembers(found.object, "finalizers", (name) => name === finalizer),
    );
  }

  #store({ type }: Found, next: KubeObject): void {
    storeOrRelease(this.#server, type, next);
  }

  #delete({ type, object }: Found, propagation: Propagation): void {
    const options = { dryRun: false, propagation };
    startDeletion(this.#server, type, object, { options, now: this.#server.clock.now() });
  }
}

import { checkBlockedOwners } from "../access/owner-permissions.ts";
import { markShaped, represent, toStorageVersion } from "../http/represent.ts";
import type { Answer, ApiRequest, Target, VirtualServer } from "../http/request.ts";
import type { ResourceType } from "../kinds/registry.ts";
import { type KubeObject, keyOf, listAt, objectAt, withMetadata } from "../storage/kube-object.ts";
import { sameObject } from "./same-object.ts";

/** The stored object as the version asked for shows it. */
export function findLive(server: VirtualServer, target: Target, name: string): KubeObject | undefined {
  const { type, served, namespace } = target;
  const key = keyOf(type.namespaced && namespace !== undefined ? { namespace, name } : { name });
  const stored = server.storage.collection(type.id).find(key);
  return stored && represent(type, served, stored);
}

/** Stores an admitted object unless it is a dry run, which shows the resourceVersion it was sent; 201. */
export function commitNew(request: ApiRequest, next: KubeObject, dryRun: boolean): Answer {
  const { target } = request;
  checkBlockedOwners(request, undefined, next);
  if (!dryRun) return put(request, next, 201);
  const object =
    next.metadata.resourceVersion === "" ? withMetadata(next, { resourceVersion: undefined }) : next;
  return { form: "object", code: 201, target, object };
}

/**
 * Stores an admitted change. Nothing is stored when nothing changed; when the last finalizer of an object that
 * is being deleted went, the object goes in the same write and the answer shows it with its previous version.
 */
export function commitChange(
  request: ApiRequest,
  live: KubeObject,
  next: KubeObject,
  dryRun: boolean,
): Answer {
  const { server, target } = request;
  if (sameObject(live, next)) return { form: "object", code: 200, target, object: live };
  checkBlockedOwners(request, live, next);
  if (dryRun) return { form: "object", code: 200, target, object: next };
  if (isReleased(next)) {
    server.storage.remove(target.type.id, toStorageVersion(target.type, next));
    return { form: "object", code: 200, target, object: next };
  }
  return put(request, next, 200);
}

/** Whether nothing holds an object that is being deleted: neither a finalizer nor the grace period of a Pod. */
export function isReleased(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0) return false;
  if (object.metadata.finalizers?.length) return false;
  const isNamespace = object.kind === "Namespace" && object.apiVersion === "v1";
  return !isNamespace || listAt(objectAt(object, "spec"), "finalizers").length === 0;
}

/** Stores what a controller inside the server changed, or lets the object go when nothing holds it any more. */
export function storeOrRelease(server: VirtualServer, type: ResourceType, next: KubeObject): void {
  if (isReleased(next)) server.storage.remove(type.id, next);
  else server.storage.put(type.id, next);
}

function put(request: ApiRequest, next: KubeObject, code: number): Answer {
  const { server, target } = request;
  const { type, served } = target;
  const change = server.storage.put(type.id, toStorageVersion(type, next), (object) =>
    markShaped(type, object),
  );
  const inStorageVersion = served.version === type.storageVersion;
  const object = inStorageVersion ? change.object : represent(type, served, change.object);
  return { form: "object", code, target, object, ...(inStorageVersion ? { text: change.text } : {}) };
}

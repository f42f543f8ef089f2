import { checkBlockedOwners } from "../access/permissions.ts";
import { forbidden, notFound, StatusError } from "../errors/status-error.ts";
import { groupVersion, type ResourceType } from "../kinds/registry.ts";
import {
  type KubeObject,
  keyOf,
  listAt,
  objectAt,
  sameObject,
  withMetadata,
} from "../objects/kube-object.ts";
import type { Answer, ApiRequest, Target, VirtualServer } from "../request/request.ts";
import { markShaped, represent, toStorageVersion } from "./encode.ts";

/**
 * Objects live in namespaces that exist and stay, and only of kinds that are served. Throws StatusError 403 or 404.
 */
export function checkPlace({ server, target }: ApiRequest): void {
  const { type, namespace, name } = target;
  if (!server.registry.get(type.id)) throw notFound(type.group, type.plural, name ?? "");
  if (!type.namespaced || namespace === undefined) return;
  const found = namespaceOf(server, namespace);
  if (!found) throw notFound("", "namespaces", namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = forbidden(type.group, type.plural, name ?? "", text);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw new StatusError(refusal.code, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [cause],
  });
}

function namespaceOf(server: VirtualServer, name: string): KubeObject | undefined {
  return server.storage.collection("/namespaces").find(`/${name}`);
}

/** The object at the name, in the version it was stored in. */
export function findStored(server: VirtualServer, target: Target, name: string): KubeObject | undefined {
  const { type, namespace } = target;
  const key = keyOf(type.namespaced && namespace !== undefined ? { namespace, name } : { name });
  return server.storage.collection(type.id).find(key);
}

/** The stored object as the version asked for shows it; a webhook may have to be asked. */
export async function findLive(
  server: VirtualServer,
  target: Target,
  name: string,
): Promise<KubeObject | undefined> {
  const stored = findStored(server, target, name);
  return stored && represent(target.type, target.served, stored);
}

/**
 * The object that a request read is no longer the stored one: another client was faster while it waited for something.
 * Nothing has been stored, and the request is carried out again on what is there now.
 */
export class Overtaken extends Error {}

/** Throws Overtaken where the object is not as seen. Between this and the write nothing may be awaited. */
export function checkUnchanged(server: VirtualServer, type: ResourceType, seen: KubeObject): void {
  const stored = server.storage.collection(type.id).find(keyOf(seen.metadata))?.metadata;
  const { uid, resourceVersion } = seen.metadata;
  if (stored?.uid !== uid || stored.resourceVersion !== resourceVersion) throw new Overtaken();
}

/** Stores an admitted object unless it is a dry run, which shows the resourceVersion it was sent; 201. */
export async function commitNew(request: ApiRequest, next: KubeObject, dryRun: boolean): Promise<Answer> {
  const { server, target } = request;
  checkBlockedOwners(request, undefined, next);
  const stored = await toStorageVersion(target.type, next);
  checkPlace(request);
  if (findStored(server, target, next.metadata.name)) throw new Overtaken();
  if (!dryRun) return put(request, stored, 201);
  const object =
    next.metadata.resourceVersion === "" ? withMetadata(next, { resourceVersion: undefined }) : next;
  return { form: "object", code: 201, target, object };
}

/**
 * Stores an admitted change. Nothing is stored when nothing changed; when the last finalizer of an object that
 * is being deleted went, the object goes in the same write and the answer shows it with its previous version.
 */
export async function commitChange(
  request: ApiRequest,
  live: KubeObject,
  next: KubeObject,
  dryRun: boolean,
): Promise<Answer> {
  const { server, target } = request;
  const { type } = target;
  if (sameObject(live, next) && isStoredAsPresent(request, live) && !isReleased(next)) {
    return { form: "object", code: 200, target, object: live };
  }
  checkBlockedOwners(request, live, next);
  const stored = await toStorageVersion(type, next);
  if (dryRun) return { form: "object", code: 200, target, object: next };
  checkUnchanged(server, type, live);
  if (isReleased(next)) {
    server.storage.remove(type.id, stored);
    return { form: "object", code: 200, target, object: next };
  }
  return put(request, stored, 200);
}

/**
 * Whatever is written comes into the present storage version, even unchanged: so objects are taken out of an old one.
 */
function isStoredAsPresent({ server, target }: ApiRequest, { metadata }: KubeObject): boolean {
  const { type } = target;
  const present = groupVersion(type.group, type.storageVersion);
  return !type.custom || findStored(server, target, metadata.name)?.apiVersion === present;
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

/** Stored it is even if a webhook then fails to show it, as on the real server. */
async function put(request: ApiRequest, next: KubeObject, code: number): Promise<Answer> {
  const { server, target } = request;
  const { type, served } = target;
  const { object, text } = server.storage.put(type.id, next, (stored) => markShaped(type, stored));
  if (served.version === type.storageVersion) return { form: "object", code, target, object, text };
  return { form: "object", code, target, object: await represent(type, served, object) };
}

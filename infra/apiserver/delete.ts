import { decodeObject } from "./body.ts";
import { findLive, isReleased } from "./commit.ts";
import { type KubeObject, objectAt, textAt, timestamp, withMetadata } from "./kube-object.ts";
import { selectObjects } from "./list.ts";
import { markShaped, represent, toStorageVersion } from "./represent.ts";
import {
  type Answer,
  type ApiRequest,
  dryRunCauses,
  invalidOptions,
  type Target,
  type VirtualServer,
} from "./request.ts";
import type { JsonObject } from "./schema.ts";
import { type Cause, conflict, notFound } from "./status-error.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly propagation: Propagation;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Finalizers that the garbage collector removes after it dealt with the dependents. */
export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

/** DELETE of one object. */
export async function deleteObject(request: ApiRequest): Promise<Answer> {
  const { server, target } = request;
  const { type, name = "" } = target;
  const options = await deleteOptions(request);
  const live = findLive(server, target, name);
  if (!live) throw notFound(type.group, type.plural, name);
  checkPreconditions(target, live, options);
  const remaining = startDeletion(server, target, live, { options, now: request.now });
  if (remaining) return { form: "object", code: 200, target, object: remaining };
  const details = {
    name,
    ...(type.group === "" ? {} : { group: type.group }),
    kind: type.plural,
    uid: live.metadata.uid,
  };
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
  return { form: "document", code: 200, body };
}

/** DELETE of a collection: every object that the selectors match; answers them as they were. */
export async function deleteCollection(request: ApiRequest): Promise<Answer> {
  const { server, target } = request;
  const options = await deleteOptions(request);
  const objects = [...selectObjects(request)];
  for (const object of objects) startDeletion(server, target, object, { options, now: request.now });
  return { form: "list", target, objects, metadata: { resourceVersion: String(server.storage.version) } };
}

/**
 * Deletes an object, or marks it when finalizers hold it. Returns what remains, undefined when it is gone.
 * A repeated deletion changes nothing, except that another propagation policy may add its finalizer.
 */
export function startDeletion(
  server: VirtualServer,
  target: Target,
  live: KubeObject,
  { options, now }: { readonly options: DeleteOptions; readonly now: Date },
): KubeObject | undefined {
  const { type, served } = target;
  const marked = markDeleted(live, finalizersFor(live, options.propagation), now);
  if (marked === live) return live;
  const next = type.strategy?.prepare?.(marked, live) ?? marked;
  if (isReleased(next)) {
    if (!options.dryRun) server.storage.remove(type.id, toStorageVersion(type, live));
    return undefined;
  }
  if (options.dryRun) return next;
  const change = server.storage.put(type.id, toStorageVersion(type, next), (object) =>
    markShaped(type, object),
  );
  return represent(type, served, change.object);
}

function finalizersFor(live: KubeObject, propagation: Propagation): readonly string[] {
  const present = live.metadata.finalizers ?? [];
  const other = present.filter((name) => name !== FOREGROUND && name !== ORPHAN);
  if (propagation === "Background") return other.length === present.length ? present : other;
  const own = propagation === "Foreground" ? FOREGROUND : ORPHAN;
  return present.includes(own) && other.length === present.length - 1 ? present : [...other, own];
}

function markDeleted(live: KubeObject, finalizers: readonly string[], now: Date): KubeObject {
  const { metadata } = live;
  if (metadata.deletionTimestamp !== undefined && finalizers === metadata.finalizers) return live;
  const { generation, deletionTimestamp } = metadata;
  return withMetadata(live, {
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    ...(deletionTimestamp === undefined && generation ? { generation: generation + 1 } : {}),
    deletionTimestamp: deletionTimestamp ?? timestamp(now),
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds ?? 0,
  });
}

function checkPreconditions({ type }: Target, { metadata }: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options;
  if (uid !== undefined && uid !== metadata.uid) {
    const text = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(type.group, type.kind, metadata.name, text);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const text = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(type.group, type.kind, metadata.name, text);
  }
}

/** DeleteOptions of the body, else of the query. Throws StatusError 422 for values that do not exist. */
async function deleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const { query, body, contentType } = request;
  const given: JsonObject = body.length > 0 ? (await decodeObject(contentType, body)).value : {};
  const dryRun = [...query.getAll("dryRun"), ...stringsAt(given, "dryRun")];
  const policy =
    textAt(given, "propagationPolicy") || query.get("propagationPolicy") || legacyPolicy(given, query);
  const causes: Cause[] = dryRunCauses(dryRun);
  if (policy !== "Background" && policy !== "Foreground" && policy !== "Orphan") {
    const message = `Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`;
    causes.push({ reason: "FieldValueNotSupported", message, field: "propagationPolicy" });
    throw invalidOptions("DeleteOptions", causes);
  }
  if (causes.length > 0) throw invalidOptions("DeleteOptions", causes);
  const preconditions = objectAt(given, "preconditions");
  const uid = textAt(preconditions, "uid");
  const resourceVersion = textAt(preconditions, "resourceVersion");
  return {
    dryRun: dryRun.length > 0,
    propagation: policy,
    ...(uid === "" ? {} : { uid }),
    ...(resourceVersion === "" ? {} : { resourceVersion }),
  };
}

function legacyPolicy(given: JsonObject, query: URLSearchParams): string {
  const orphans = given["orphanDependents"] === true || query.get("orphanDependents") === "true";
  return orphans ? "Orphan" : "Background";
}

function stringsAt(object: JsonObject, field: string): string[] {
  const value = object[field];
  return Array.isArray(value) ? value.map(String) : [];
}

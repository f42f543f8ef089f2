import { type Cause, conflict, notFound, StatusError } from "../errors/status-error.ts";
import type { ResourceType } from "../kinds/registry.ts";
import { isJsonObject, isNumber, type JsonObject } from "../objects/json.ts";
import { type KubeObject, keyOf, objectAt, textAt, timestamp, withMetadata } from "../objects/kube-object.ts";
import { decodeObject } from "../request/body.ts";
import {
  type Answer,
  type ApiRequest,
  dryRunCauses,
  invalidOptions,
  type Target,
  type VirtualServer,
} from "../request/request.ts";
import { isTrue } from "../request/router.ts";
import { allSoon } from "../soon.ts";
import { checkUnchanged, findStored, isReleased } from "./commit.ts";
import { represent, representEach } from "./encode.ts";
import { selectObjects } from "./list.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** The propagation; absent for what the finalizers say already, else in the background. */
  readonly propagation?: Propagation;
  /** Only Pods have a grace period; absent = the Pod's own. */
  readonly gracePeriodSeconds?: number;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Asked with `orphanDependents: false`, whose answer says that the deletion continues. */
  readonly isLegacy?: boolean;
}

/** Finalizers that the garbage collector removes after it dealt with the dependents. */
export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

/** Serves DELETE of one object. */
export async function deleteObject(request: ApiRequest): Promise<Answer> {
  const { server, target } = request;
  const { type, served, name = "" } = target;
  const options = await deleteOptions(request);
  const live = findStored(server, target, name);
  if (!live) throw notFound(type.group, type.plural, name);
  checkPreconditions(target, live, options);
  // An object that a version cannot show cannot be deleted through it.
  await represent(type, served, live);
  checkUnchanged(server, type, live);
  const { object, isGone } = startDeletion(server, type, live, { options, now: request.now });
  if (!isGone || type.answersDeleted) {
    const shown = await represent(type, served, object);
    return { form: "object", code: options.isLegacy && !isGone ? 202 : 200, target, object: shown };
  }
  const details = {
    name,
    ...(type.group === "" ? {} : { group: type.group }),
    kind: type.plural,
    uid: live.metadata.uid,
  };
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
  return { form: "document", code: 200, body };
}

/** Serves DELETE of a collection: every object that the selectors match; answers them as they were. */
export async function deleteCollection(request: ApiRequest): Promise<Answer> {
  const { server, target } = request;
  const options = await deleteOptions(request);
  const selected = selectObjects(request);
  const objects = await allSoon(representEach(target.type, target.served, selected));
  const present = selected.flatMap((object) => findAgain(server, target.type, object) ?? []);
  for (const object of present) checkPreconditions(target, object, options);
  for (const object of present) startDeletion(server, target.type, object, { options, now: request.now });
  return { form: "list", target, objects, metadata: { resourceVersion: String(server.storage.version) } };
}

/** The same object as it is stored now. */
function findAgain(
  { storage }: VirtualServer,
  type: ResourceType,
  { metadata }: KubeObject,
): KubeObject | undefined {
  const present = storage.collection(type.id).find(keyOf(metadata));
  return present?.metadata.uid === metadata.uid ? present : undefined;
}

/**
 * Deletes a stored object, or marks it when finalizers or a grace period hold it. Returns what remains or what went; it
 * stays in the version it was stored in, so that no webhook can get in the way. A repeated deletion changes nothing,
 * except that another propagation policy may add its finalizer, and that a Pod's grace period may become shorter.
 */
export function startDeletion(
  server: VirtualServer,
  type: ResourceType,
  live: KubeObject,
  { options, now }: { readonly options: DeleteOptions; readonly now: Date },
): { readonly object: KubeObject; readonly isGone: boolean } {
  const graceSeconds = type.strategy?.gracePeriodSeconds?.(live, options.gracePeriodSeconds) ?? 0;
  const finalizers = finalizersFor(live, options.propagation);
  const marked = markDeleted(live, { finalizers, graceSeconds, now });
  if (marked === live && !isReleased(live)) return { object: live, isGone: false };
  const next = type.strategy?.prepare?.(marked, live) ?? marked;
  const isGone = isReleased(next);
  if (options.dryRun) return { object: next, isGone };
  if (isGone) {
    const { version } = server.storage.remove(type.id, live);
    const last = type.strategy?.gracePeriodSeconds ? next : live;
    return { object: withMetadata(last, { resourceVersion: String(version) }), isGone };
  }
  return { object: server.storage.put(type.id, next).object, isGone };
}

const NONE: readonly string[] = [];

function finalizersFor(live: KubeObject, propagation: Propagation | undefined): readonly string[] {
  const present = live.metadata.finalizers ?? NONE;
  if (propagation === undefined) return present;
  const other = present.filter((name) => name !== FOREGROUND && name !== ORPHAN);
  if (propagation === "Background") return other.length === present.length ? present : other;
  const own = propagation === "Foreground" ? FOREGROUND : ORPHAN;
  return present.includes(own) && other.length === present.length - 1 ? present : [...other, own];
}

function markDeleted(
  live: KubeObject,
  mark: { readonly finalizers: readonly string[]; readonly graceSeconds: number; readonly now: Date },
): KubeObject {
  const { generation, deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = NONE } = live.metadata;
  const isFirst = deletionTimestamp === undefined;
  const graceSeconds = isFirst ? mark.graceSeconds : Math.min(mark.graceSeconds, deletionGracePeriodSeconds);
  const isShorter = !isFirst && graceSeconds < deletionGracePeriodSeconds;
  if (!isFirst && !isShorter && mark.finalizers === finalizers) return live;
  // The timestamp of a Pod is the end of its grace period.
  const endsAt = new Date(mark.now.getTime() + graceSeconds * 1_000);
  return withMetadata(live, {
    finalizers: mark.finalizers.length === 0 ? undefined : mark.finalizers,
    ...(isFirst && generation ? { generation: generation + 1 } : {}),
    deletionTimestamp: isFirst || isShorter ? timestamp(endsAt) : deletionTimestamp,
    deletionGracePeriodSeconds: graceSeconds,
  });
}

export function checkPreconditions({ type }: Target, { metadata }: KubeObject, options: DeleteOptions): void {
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

/** Reads DeleteOptions of the body, else of the query. */
async function deleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const { body, contentType, query } = request;
  return parseDeleteOptions(
    body.length > 0 ? (await decodeObject(contentType, body)).value : optionsOf(query),
  );
}

/** The body replaces the parameters; these count only without one. */
function optionsOf(query: URLSearchParams): JsonObject {
  const policy = query.get("propagationPolicy");
  const orphans = query.get("orphanDependents");
  const graceSeconds = query.get("gracePeriodSeconds");
  return {
    dryRun: query.getAll("dryRun"),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(orphans ? { orphanDependents: isTrue(orphans) } : {}),
    ...(graceSeconds ? { gracePeriodSeconds: Number(graceSeconds) } : {}),
  };
}

/** Throws StatusError 422 for values that do not exist, 500 for members of the wrong type. */
export function parseDeleteOptions(given: JsonObject): DeleteOptions {
  checkOptionTypes(given);
  const dryRun = stringsAt(given, "dryRun");
  const named = textAt(given, "propagationPolicy");
  const policy = named || legacyPolicy(given);
  const causes: Cause[] = dryRunCauses(dryRun);
  if (named !== "" && given["orphanDependents"] !== undefined) {
    const message = `Invalid value: "${named}": orphanDependents and deletionPropagation cannot be both set`;
    causes.push({ reason: "FieldValueInvalid", message, field: "propagationPolicy" });
  }
  if (policy !== undefined && !isPropagation(policy)) {
    const message = `Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`;
    causes.push({ reason: "FieldValueNotSupported", message, field: "propagationPolicy" });
    throw invalidOptions("DeleteOptions", causes);
  }
  if (causes.length > 0) throw invalidOptions("DeleteOptions", causes);
  const preconditions = objectAt(given, "preconditions");
  const uid = textAt(preconditions, "uid");
  const resourceVersion = textAt(preconditions, "resourceVersion");
  const graceSeconds = Number(given["gracePeriodSeconds"] ?? Number.NaN);
  return {
    dryRun: dryRun.length > 0,
    ...(policy === undefined ? {} : { propagation: policy }),
    ...(Number.isInteger(graceSeconds) ? { gracePeriodSeconds: graceSeconds } : {}),
    ...(uid === "" ? {} : { uid }),
    ...(resourceVersion === "" ? {} : { resourceVersion }),
    isLegacy: given["orphanDependents"] === false,
  };
}

function checkOptionTypes(given: JsonObject): void {
  const { kind = "DeleteOptions", preconditions = {}, gracePeriodSeconds = 0 } = given;
  if (kind !== "DeleteOptions") {
    throw new StatusError(500, "", `no kind "${kind}" is registered for version "${given["apiVersion"]}"`);
  }
  if (!isJsonObject(preconditions) || !isNumber(gracePeriodSeconds)) {
    throw new StatusError(500, "", "json: cannot unmarshal the body into Go struct DeleteOptions");
  }
}

function isPropagation(text: string): text is Propagation {
  return text === "Background" || text === "Foreground" || text === "Orphan";
}

function legacyPolicy(given: JsonObject): string | undefined {
  const orphans = given["orphanDependents"];
  if (orphans === undefined) return undefined;
  return orphans === true ? "Orphan" : "Background";
}

function stringsAt(object: JsonObject, field: string): string[] {
  const value = object[field];
  return Array.isArray(value) ? value.map(String) : [];
}

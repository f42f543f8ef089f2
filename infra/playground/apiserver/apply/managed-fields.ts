import { LAST_APPLIED } from "../../../../shared/redaction/last-applied.ts";
import { badRequest, StatusError } from "../errors/status-error.ts";
import {
  equalJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeJson,
} from "../objects/json.ts";
import type { Schema } from "../schema/schema.ts";
import { fillDefaults, prune } from "../schema/shape.ts";
import {
  decodeManagers,
  encodeManagers,
  type FieldManager,
  type FieldManagers,
  foldOldUpdates,
  identityOf,
  type ManagedFieldsEntry,
} from "./field-managers.ts";
import { difference, EMPTY_SET, type FieldSet, isEmptySet, union, withoutFields } from "./field-set.ts";
import {
  applyConflict,
  type Conflict,
  dropAbandoned,
  settleOwners,
  UNTRACKED,
  untrackIdentity,
} from "./ownership.ts";
import type { Type } from "./typed.ts";
import { type Comparison, checkConfiguration, compare } from "./typed-compare.ts";
import { merge, setOf } from "./typed-merge.ts";
import { type KindVersions, NoView, Views } from "./views.ts";

/**
 * Field ownership: server-side apply and the tracking of every other write.
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply, and recorded answers of
 * kube-apiserver 1.32.3
 */
export type { ManagedFieldsEntry } from "./field-managers.ts";

interface Operation {
  /** Root schema of the version asked for. */
  readonly schema: Schema;
  /** Where the kind has others: an entry is compared in its own version. */
  readonly versions?: KindVersions | undefined;
  /** The stored object; undefined when the operation creates it. */
  readonly live: KubeJson | undefined;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /**
   * Top-level fields this endpoint ignores; default `["status"]`, on the status endpoint `["spec"]`.
   * Pass `[]` for a kind without status subresource.
   */
  readonly resetFields?: readonly string[];
  /** Content of an object before a client sets a field. */
  readonly zero?: JsonObject | undefined;
}

interface ApplyRequest extends Operation {
  readonly config: KubeJson;
  readonly force: boolean;
}

interface UpdateRequest extends Operation {
  /** The object to store, with the managedFields of the request, if any. */
  readonly next: KubeJson;
}

const FIRST_APPLY_MANAGER = "before-first-apply";

/** The manager whose applies take over what client-side `kubectl apply` had set. */
const KUBECTL = "kubectl";

/** The object after an operation, in its own version, and its owners before. */
interface Step {
  readonly before: KubeJson;
  readonly after: KubeJson;
  readonly managers: FieldManagers;
  /** Top-level members that the endpoint leaves as they are. */
  readonly ignored: readonly string[];
}

/**
 * Merges an applied configuration into the live object and settles who owns what.
 *
 * Returns the object to store, pruned and defaulted, with its managedFields; it is not validated yet. Fields
 * of
 * `resetFields` keep their live value. `resourceVersion` and `uid` of the configuration are passed through for the
 * caller to check. Throws StatusError 409 with a cause per path and manager on conflict, 400 for managedFields in the
 * configuration, 500 (as the real server) for a configuration that does not fit the schema.
 */
export async function applyConfiguration(request: ApplyRequest): Promise<KubeJson> {
  const { config, apiVersion } = request;
  if (config.apiVersion !== apiVersion) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${config.apiVersion}, expected: ${apiVersion}`,
    );
  }
  const { managedFields } = config.metadata;
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const views = new Views(apiVersion, request.schema, request.versions);
  const problems = checkConfiguration(views.type, config);
  if (problems.length > 0) throw untypedConfiguration(config, problems);
  return mergeConfiguration(request, views);
}

function untypedConfiguration(config: KubeJson, problems: readonly string[]): StatusError {
  const { namespace, name } = config.metadata;
  const key = namespace === undefined ? `/${name}` : `${namespace}/${name}`;
  const list =
    problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join("\n")}`;
  const object = `${key}; ${config.apiVersion}, Kind=${config.kind}`;
  return new StatusError(500, "", `failed to create typed patch object (${object}): ${list}`);
}

async function mergeConfiguration(request: ApplyRequest, views: Views): Promise<KubeJson> {
  const { config, live } = request;
  const { type } = views;
  const before = live === undefined ? emptyObject(config, request.zero) : withoutManagedFields(live);
  const managers = await liveManagers(request, views);
  const self = ownerOf(request, "Apply", EMPTY_SET);
  const id = identityOf(self);
  const last = managers.get(id);
  const ignored = resetFieldsOf(request);
  const set = withoutFields(setOf(type, config), ignored);
  managers.set(id, { ...self, time: last?.time, set });
  const merged = (merge(type, before, config) ?? before) as KubeJson;
  const result = last === undefined ? merged : await dropAbandoned({ merged, managers, last, views });
  const changes = await changesOf(views, { before, after: result, managers, ignored });
  settleOwners(managers, id, changes, (conflicts) => {
    const isTakeover = request.manager === KUBECTL && ownedByClientSideApply(type, before, conflicts);
    if (!request.force && !isTakeover) throw applyConflict(conflicts);
  });
  untrackIdentity(managers);
  const changed = live === undefined || !equalJson(before, result);
  const mine = managers.get(id);
  if (changed && mine !== undefined) managers.set(id, { ...mine, time: request.now });
  return withManagedFields(changed ? complete(request, result) : before, encodeManagers(managers));
}

/**
 * Whether all that is in conflict was last set by client-side `kubectl apply`: it is in the annotation and has not
 * changed since. Then `kubectl apply --server-side` takes it over without force.
 */
function ownedByClientSideApply(type: Type, live: KubeJson, conflicts: readonly Conflict[]): boolean {
  const annotations = live.metadata["annotations"];
  const applied = isJsonObject(annotations) ? annotations[LAST_APPLIED] : undefined;
  if (typeof applied !== "string") return false;
  try {
    const object = JSON.parse(applied) as JsonObject;
    const cmp = compare(type, object, live);
    const changed = union(union(cmp.modified, cmp.added), cmp.removed);
    const allowed = difference(setOf(type, object), changed);
    return conflicts.every((conflict) => isEmptySet(difference(conflict.set, allowed)));
  } catch {
    return false;
  }
}

/**
 * Returns the changes, by the version of the entry that asks: fields that the endpoint ignores are left out only
 * for the version that it was called through. So a change of spec sent to /status of one version costs owners of
 * another version their fields, as on the real server. Throws NoView when the object cannot be shown in the version of
 * an entry.
 */
async function changesOf(
  views: Views,
  { before, after, managers, ignored }: Step,
): Promise<(apiVersion: string) => Comparison> {
  const { added, removed, modified } = compare(views.type, before, after);
  const own = {
    added: withoutFields(added, ignored),
    removed: withoutFields(removed, ignored),
    modified: withoutFields(modified, ignored),
  };
  const inVersion = new Map([[views.apiVersion, own]]);
  for (const { apiVersion } of managers.values()) {
    if (inVersion.has(apiVersion)) continue;
    const { type, object } = await views.of(before, apiVersion);
    inVersion.set(apiVersion, compare(type, object, (await views.of(after, apiVersion)).object));
  }
  return (apiVersion) => inVersion.get(apiVersion) ?? own;
}

/**
 * The managedFields to store with `next`; undefined = none: the object is untracked, because its history was reset or
 * never began, until the next apply.
 */
export async function trackUpdate(
  request: UpdateRequest,
): Promise<readonly ManagedFieldsEntry[] | undefined> {
  const managers = managersOfRequest(request);
  if (managers.size === 0 && request.live !== undefined) return undefined;
  try {
    await recordUpdate(request, new Views(request.apiVersion, request.schema, request.versions), managers);
  } catch (error) {
    // The real server loses track then.
    if (error instanceof NoView) return undefined;
    // A list member without identity: validation refuses the object with a better message than we could give.
    return encodeManagers(managers);
  }
  foldOldUpdates(managers);
  return encodeManagers(managers);
}

/** Returns the managers; on a subresource, or when they are absent or unreadable, those of the live object. */
function managersOfRequest(request: UpdateRequest): FieldManagers {
  const live = decodeManagers(request.live?.metadata["managedFields"]) ?? new Map();
  if (request.subresource !== undefined) return live;
  const entries = request.next.metadata["managedFields"];
  if (isJsonArray(entries) && entries.length === 1 && equalJson(entries[0] as Json, {})) return new Map();
  const sent = decodeManagers(entries);
  return sent === undefined || sent.size === 0 ? live : sent;
}

/** A compiled-in kind has one version; entries of others are forgotten. */
function dropForeign({ versions, apiVersion }: UpdateRequest, managers: FieldManagers): void {
  for (const [id, owner] of managers) {
    if (versions === undefined && owner.apiVersion !== apiVersion) managers.delete(id);
  }
}

async function recordUpdate(request: UpdateRequest, views: Views, managers: FieldManagers): Promise<void> {
  dropForeign(request, managers);
  const next = withoutManagedFields(request.next);
  const live =
    request.live === undefined ? emptyObject(next, request.zero) : withoutManagedFields(request.live);
  const ignored = resetFieldsOf(request);
  const changes = await changesOf(views, { before: live, after: next, managers, ignored });
  settleOwners(managers, undefined, changes, () => undefined);
  untrackIdentity(managers);
  const cmp = changes(request.apiVersion);
  const set = difference(union(cmp.modified, cmp.added), UNTRACKED);
  if (isEmptySet(set)) return;
  const self = { ...ownerOf(request, "Update", set), time: request.now };
  const id = identityOf(self);
  const previous = managers.get(id);
  managers.set(id, { ...self, set: previous === undefined ? set : union(previous.set, set) });
}

function ownerOf(of: Operation, operation: FieldManager["operation"], set: FieldSet): FieldManager {
  const { manager, apiVersion, subresource } = of;
  return { manager, operation, apiVersion, subresource, time: undefined, set };
}

/** Returns the empty object of this kind, before it exists. */
function emptyObject(of: KubeJson, zero: JsonObject = {}): KubeJson {
  return { ...zero, apiVersion: of.apiVersion, kind: of.kind, metadata: {} };
}

function withoutManagedFields(object: KubeJson): KubeJson {
  if (!Object.hasOwn(object.metadata, "managedFields")) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function withManagedFields(object: KubeJson, entries: readonly ManagedFieldsEntry[] | undefined): KubeJson {
  if (entries === undefined) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}

function resetFieldsOf(operation: Operation): readonly string[] {
  if (operation.resetFields !== undefined) return operation.resetFields;
  if (operation.subresource === undefined) return ["status"];
  return operation.subresource === "status" ? ["spec"] : [];
}

/** Owners before the apply; everything an untracked object holds belongs to `before-first-apply`. */
async function liveManagers(request: ApplyRequest, views: Views): Promise<FieldManagers> {
  const { live } = request;
  if (live === undefined) return new Map();
  const managers = decodeManagers(live.metadata["managedFields"]) ?? new Map();
  if (managers.size === 0) {
    const next = withoutManagedFields(live);
    await recordUpdate({ ...request, live: undefined, next, manager: FIRST_APPLY_MANAGER }, views, managers);
  }
  return managers;
}

/** Prunes, defaults and gives fields of other endpoints their live value back. */
function complete(request: ApplyRequest, object: KubeJson): KubeJson {
  const result: Record<string, Json> = { ...object };
  for (const name of resetFieldsOf(request)) {
    const stored = request.live?.[name];
    if (stored === undefined) delete result[name];
    else result[name] = stored;
  }
  const completed = fillDefaults(request.schema, prune(request.schema, result).value) as KubeJson;
  return { ...completed, metadata: withoutNulls(completed.metadata) };
}

/** Labels and the like that lost their last member. */
function withoutNulls(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

import { badRequest, StatusError } from "../http/status-error.ts";
import { ownedByClientSideApply } from "../patch/client-side-apply.ts";
import { fillDefaults } from "../schema/defaults.ts";
import { prune } from "../schema/prune.ts";
import { isJsonArray, type Json, type JsonObject, type KubeJson, type Schema } from "../schema/schema.ts";
import { dropAbandoned } from "./abandoned-fields.ts";
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
import { applyConflict, settleOwners, UNTRACKED, untrackIdentity } from "./ownership.ts";
import { rootTypeOf, type Type } from "./typed.ts";
import { checkConfiguration } from "./typed-check.ts";
import { type Comparison, compare, equalJson } from "./typed-compare.ts";
import { merge } from "./typed-merge.ts";
import { setOf } from "./typed-set.ts";

/**
 * Field ownership: server-side apply and the tracking of every other write.
 * Source: spec/embedded-apiserver.md section 6
 */
export type { ManagedFieldsEntry } from "./field-managers.ts";

interface Operation {
  /** Root schema of the version asked for. */
  readonly schema: Schema;
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
  /** What an object has before anybody sets a field. */
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

/**
 * Merges an applied configuration into the live object and settles who owns what.
 *
 * Returns the object to store, pruned and defaulted, with its managedFields; it is not validated yet. Fields of
 * `resetFields` keep their live value. `resourceVersion` and `uid` of the configuration are passed through for the
 * caller to check. Throws StatusError 409 with a cause per path and manager on conflict, 400 for managedFields in the
 * configuration, 500 (as the real server) for a configuration that does not fit the schema.
 */
export function applyConfiguration(request: ApplyRequest): KubeJson {
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
  const type = rootTypeOf(request.schema);
  const problems = checkConfiguration(type, config);
  if (problems.length > 0) throw untypedConfiguration(config, problems);
  return mergeConfiguration(request, type);
}

function untypedConfiguration(config: KubeJson, problems: readonly string[]): StatusError {
  const { namespace, name } = config.metadata;
  const key = namespace === undefined ? `/${name}` : `${namespace}/${name}`;
  const list =
    problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join("\n")}`;
  const object = `${key}; ${config.apiVersion}, Kind=${config.kind}`;
  return new StatusError(500, "", `failed to create typed patch object (${object}): ${list}`);
}

function mergeConfiguration(request: ApplyRequest, type: Type): KubeJson {
  const { config, live } = request;
  const before = live === undefined ? emptyObject(config, request.zero) : withoutManagedFields(live);
  const managers = liveManagers(request, type);
  const self = ownerOf(request, "Apply", EMPTY_SET);
  const id = identityOf(self);
  const last = managers.get(id);
  const set = withoutFields(setOf(type, config), resetFieldsOf(request));
  managers.set(id, { ...self, time: last?.time, set });
  const merged = (merge(type, before, config) ?? before) as KubeJson;
  const result = last === undefined ? merged : dropAbandoned({ type, merged, managers, last: last.set });
  settleOwners(managers, id, changesOf(request, type, before, result), (conflicts) => {
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
 * The managedFields to store with `next`; undefined = none: the object is untracked, because its history was reset or
 * never began, until the next apply.
 */
export function trackUpdate(request: UpdateRequest): readonly ManagedFieldsEntry[] | undefined {
  const managers = managersOfRequest(request);
  if (managers.size === 0 && request.live !== undefined) return undefined;
  const type = rootTypeOf(request.schema);
  // Between versions an object with duplicate list members cannot be compared; the real server loses track then.
  const isForeign = [...managers.values()].some(({ apiVersion }) => apiVersion !== request.apiVersion);
  if (isForeign && checkConfiguration(type, withoutManagedFields(request.next)).length > 0) return undefined;
  try {
    recordUpdate(request, type, managers);
  } catch {
    // A list member without identity: validation refuses the object with a better message than we could give.
    return encodeManagers(managers);
  }
  foldOldUpdates(managers);
  return encodeManagers(managers);
}

/** On a subresource, and when they are absent or unreadable, the entries of the live object count. */
function managersOfRequest(request: UpdateRequest): FieldManagers {
  const live = decodeManagers(request.live?.metadata["managedFields"]) ?? new Map();
  if (request.subresource !== undefined) return live;
  const entries = request.next.metadata["managedFields"];
  if (isJsonArray(entries) && entries.length === 1 && equalJson(entries[0] as Json, {})) return new Map();
  const sent = decodeManagers(entries);
  return sent === undefined || sent.size === 0 ? live : sent;
}

function recordUpdate(request: UpdateRequest, type: Type, managers: FieldManagers): void {
  const next = withoutManagedFields(request.next);
  const live =
    request.live === undefined ? emptyObject(next, request.zero) : withoutManagedFields(request.live);
  const changes = changesOf(request, type, live, next);
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

/** What an object of this kind is before it exists. */
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
function liveManagers(request: ApplyRequest, type: Type): FieldManagers {
  const { live } = request;
  if (live === undefined) return new Map();
  const managers = decodeManagers(live.metadata["managedFields"]) ?? new Map();
  if (managers.size === 0) {
    const next = withoutManagedFields(live);
    recordUpdate({ ...request, live: undefined, next, manager: FIRST_APPLY_MANAGER }, type, managers);
  }
  return managers;
}

/**
 * What changed, by the apiVersion of the entry that asks: what the endpoint ignores is left out only for the version it
 * was called through. So a change of spec sent to /status of one version costs owners of another version their fields,
 * as on the real server.
 */
function changesOf(
  operation: Operation,
  type: Type,
  before: KubeJson,
  after: KubeJson,
): (apiVersion: string) => Comparison {
  const changes = compare(type, before, after);
  const ignored = resetFieldsOf(operation);
  const own = {
    added: withoutFields(changes.added, ignored),
    removed: withoutFields(changes.removed, ignored),
    modified: withoutFields(changes.modified, ignored),
  };
  return (apiVersion) => (apiVersion === operation.apiVersion ? own : changes);
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

import { equalJson } from "../apply/typed-compare.ts";
import { badRequest, StatusError } from "../http/status-error.ts";
import { isJsonArray, isJsonObject, isUnsafeKey, type Json, type JsonObject } from "../schema/schema.ts";
import { listAt } from "../storage/kube-object.ts";

/**
 * Strategic merge patch, for core kinds: lists whose members have a name are merged by it.
 * Source: Kubernetes API documentation, "Use a strategic merge patch"; patchMergeKey tags of k8s.io/api
 */

/**
 * The key by which members of a list merge, by the list's field, or by `parent.field` where the same name means
 * different lists. `=` merges scalars by value. Any other list is replaced.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: "type",
  ownerReferences: "uid",
  "metadata.finalizers": "=",
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  env: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  "containers.ports": "containerPort",
  "initContainers.ports": "containerPort",
  "ephemeralContainers.ports": "containerPort",
  "spec.ports": "port",
  "spec.imagePullSecrets": "name",
  secrets: "name",
  addresses: "type",
  hostAliases: "ip",
  podIPs: "ip",
  hostIPs: "ip",
  "spec.podCIDRs": "=",
  topologySpreadConstraints: "topologyKey",
  resourceClaims: "name",
  webhooks: "name",
};

const ORDER = "$setElementOrder/";
const DELETE_ITEMS = "$deleteFromPrimitiveList/";

/** Merges a patch into an object of a core kind. Inputs are not changed. Throws StatusError 400 for a bad directive. */
export function applyStrategicMerge(doc: Json, patch: Json): Json {
  if (!isJsonObject(doc) || !isJsonObject(patch)) throw badRequest("error decoding patch: not an object");
  return mergeObjects(doc, patch, "");
}

function mergeObjects(doc: JsonObject, patch: JsonObject, parent: string): JsonObject {
  const directive = patch["$patch"];
  if (directive === "delete") return {};
  if (directive === "replace") return mergeObjects({}, omitDirective(patch), parent);
  if (directive !== undefined) {
    throw new StatusError(500, "", `unknown patch type: ${JSON.stringify(directive)}`);
  }
  return mergeMembers(retained(doc, patch), patch, parent);
}

function mergeMembers(merged: Record<string, Json>, patch: JsonObject, parent: string): JsonObject {
  for (const name of listsNamedByDirectives(patch)) orderOf(patch, name);
  for (const name of Object.keys(patch).filter(isMemberName)) {
    const old = Object.hasOwn(merged, name) ? merged[name] : undefined;
    const value = patch[name] === null ? undefined : mergeMember(old, patch, [parent, name]);
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  for (const name of listsNamedByDirectives(patch)) {
    const value = merged[name];
    if (!Object.hasOwn(patch, name) && value !== undefined && isJsonArray(value))
      merged[name] = mergeMember(value, patch, [parent, name]) ?? value;
  }
  return merged;
}

/** Directives start with `$`, which no field does. */
function isMemberName(name: string): boolean {
  return !isUnsafeKey(name) && !name.startsWith("$");
}

function omitDirective(patch: JsonObject): JsonObject {
  const { $patch: _, ...rest } = patch;
  return rest;
}

function isListDirective(name: string): boolean {
  return name.startsWith(ORDER) || name.startsWith(DELETE_ITEMS);
}

/** Lists that only a directive speaks of: reordered or shortened without new members. */
function listsNamedByDirectives(patch: JsonObject): Set<string> {
  return new Set(
    Object.keys(patch)
      .filter(isListDirective)
      .map((name) => name.slice(name.indexOf("/") + 1))
      .filter((name) => !isUnsafeKey(name)),
  );
}

/** `$retainKeys` lists the members that may stay (for unions); it must name what the patch sets. */
function retained(doc: JsonObject, patch: JsonObject): Record<string, Json> {
  const keys = patch["$retainKeys"];
  if (keys === undefined) return { ...doc };
  if (!isJsonArray(keys)) throw badRequest("invalid patch format of retainKeys");
  const unlisted = Object.keys(patch).find(
    (name) => !name.startsWith("$") && patch[name] !== null && !keys.includes(name),
  );
  if (unlisted !== undefined) throw badRequest("invalid patch format of retainKeys");
  return Object.fromEntries(Object.entries(doc).filter(([name]) => keys.includes(name)));
}

function mergeMember(
  old: Json | undefined,
  patch: JsonObject,
  [parent, name]: readonly [string, string],
): Json | undefined {
  const value = patch[name];
  const isOrdered = Object.hasOwn(patch, `${ORDER}${name}`);
  if (value !== undefined && !isOrdered && kindOf(value) !== kindOf(old)) return withoutDirectives(value);
  if (isJsonObject(value)) return mergeObjects(isJsonObject(old) ? old : {}, value, name);
  if (value !== undefined && !isJsonArray(value)) return value;
  const key = MERGE_KEYS[`${parent}.${name}`] ?? MERGE_KEYS[name];
  if (key === undefined) return value ?? old;
  const lists: ListPatch = {
    key,
    name,
    items: value ?? [],
    order: orderOf(patch, name),
    deleted: listAt(patch, `${DELETE_ITEMS}${name}`),
  };
  return mergeLists(isJsonArray(old) ? old : [], lists);
}

function kindOf(value: Json | undefined): string {
  return Array.isArray(value) ? "list" : typeof value;
}

/** A value that is new: what only speaks of another value is left out, and so are nulls. */
function withoutDirectives(value: Json): Json | undefined {
  if (isJsonArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  const kept = Object.entries(value)
    .filter(([name, member]) => member !== null && !isUnsafeKey(name))
    .flatMap(([name, member]): [string, Json][] => {
      const rest = withoutDirectives(member);
      return rest === undefined ? [] : [[name, rest]];
    });
  return Object.fromEntries(kept);
}

interface ListPatch {
  readonly key: string;
  /** The list's field; it is the parent of what its members hold. */
  readonly name: string;
  readonly items: readonly Json[];
  /** Identities in the order the client wants. */
  readonly order: readonly Json[] | undefined;
  readonly deleted: readonly Json[];
}

function orderOf(patch: JsonObject, name: string): readonly Json[] | undefined {
  const value = patch[`${ORDER}${name}`];
  if (value === undefined || isJsonArray(value)) return value;
  throw new StatusError(500, "", `expected a list in ${ORDER}${name}`);
}

function identityOf(key: string, item: Json): Json {
  if (key === "=") return item;
  if (!isJsonObject(item)) throw new StatusError(500, "", `expected a map, but received ${typeof item}`);
  const value = Object.hasOwn(item, key) ? item[key] : undefined;
  if (value === undefined)
    throw new StatusError(
      500,
      "",
      `map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`,
    );
  return value;
}

function directiveOf(item: Json): Json | undefined {
  return isJsonObject(item) ? item["$patch"] : undefined;
}

function indexOf(key: string, list: readonly Json[], item: Json): number {
  const identity = identityOf(key, item);
  return list.findIndex((other) => equalJson(identityOf(key, other), identity));
}

function mergeLists(old: readonly Json[], lists: ListPatch): Json {
  const { items, order: wanted } = lists;
  const kinds = new Set([...old, ...items].map(kindOf));
  if (kinds.size > 1) throw new StatusError(500, "", "list element types are not identical");
  if (wanted) checkOrder(wanted, lists);
  if (items.some((item) => directiveOf(item) === "replace")) {
    return items.filter((item) => directiveOf(item) === undefined);
  }
  const left = old.filter((item) => !lists.deleted.some((gone) => equalJson(gone, item)));
  const merged = lists.key === "=" && items.length > 0 ? [...new Set(left)] : left;
  for (const item of items) mergeItem(merged, lists, item);
  // Without a wish of the client the patch's own order counts.
  const order = lists.order ?? items.filter((item) => directiveOf(item) === undefined);
  return inOrder(merged, lists.key, [order, old]);
}

/** The client's order names everything that its patch sets, in the same order. */
function checkOrder(order: readonly Json[], { key, items }: ListPatch): void {
  const places = items
    .filter((item) => directiveOf(item) === undefined)
    .map((item) => indexOf(key, order, item));
  if (places.every((place, index) => place > (places[index - 1] ?? -1))) return;
  throw new StatusError(500, "", `The order in the patch list doesn't match the ${ORDER} list`);
}

function mergeItem(merged: Json[], { key, name }: ListPatch, item: Json): void {
  const index = indexOf(key, merged, item);
  if (directiveOf(item) === "delete") {
    if (index >= 0) merged.splice(index, 1);
    return;
  }
  const before = merged[index];
  const after = isJsonObject(item) ? mergeObjects(isJsonObject(before) ? before : {}, item, name) : item;
  if (index >= 0) merged[index] = after;
  else merged.push(after);
}

/**
 * Members the client names come in its order; the others keep their place relative to those that the server had
 * before them.
 */
function inOrder(
  merged: readonly Json[],
  key: string,
  [order, old]: readonly [readonly Json[], readonly Json[]],
): Json {
  const rank = (item: Json): number => indexOf(key, order, item);
  const named = merged.filter((item) => rank(item) >= 0).sort((left, right) => rank(left) - rank(right));
  const others = merged.filter((item) => rank(item) < 0);
  const result: Json[] = [];
  while (others.length > 0 && named.length > 0) {
    const mine = indexOf(key, old, others[0] as Json);
    const theirs = indexOf(key, old, named[0] as Json);
    const next = mine >= 0 && theirs >= 0 && mine < theirs ? others.shift() : named.shift();
    result.push(next as Json);
  }
  return [...result, ...others, ...named];
}

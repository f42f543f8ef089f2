import { badRequest, StatusError } from "../errors/status-error.ts";
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  setMember,
} from "../objects/json.ts";
import { listAt } from "../objects/kube-object.ts";
import { kindOf, mergeLists, ORDER } from "./strategic-lists.ts";

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
    const old = memberOf(merged, name);
    const value = patch[name] === null ? undefined : mergeMember(old, patch, [parent, name]);
    if (value === undefined) delete merged[name];
    else setMember(merged, name, value);
  }
  for (const name of listsNamedByDirectives(patch)) {
    const value = memberOf(merged, name);
    if (!Object.hasOwn(patch, name) && value !== undefined && isJsonArray(value))
      setMember(merged, name, mergeMember(value, patch, [parent, name]) ?? value);
  }
  return merged;
}

/** Directives start with `$`, which no field does. */
function isMemberName(name: string): boolean {
  return !name.startsWith("$");
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
      .map((name) => name.slice(name.indexOf("/") + 1)),
  );
}

/** `$retainKeys` lists the members that may stay (for unions); it must name what the patch sets. */
function retained(doc: JsonObject, patch: JsonObject): Record<string, Json> {
  const keys = patch["$retainKeys"];
  if (keys === undefined) return { ...doc };
  if (!isJsonArray(keys)) throw badRequest("invalid patch format of retainKeys");
  const listed = new Set(keys);
  const unlisted = Object.keys(patch).find(
    (name) => !name.startsWith("$") && patch[name] !== null && !listed.has(name),
  );
  if (unlisted !== undefined) throw badRequest("invalid patch format of retainKeys");
  return Object.fromEntries(Object.entries(doc).filter(([name]) => listed.has(name)));
}

function mergeMember(
  old: Json | undefined,
  patch: JsonObject,
  [parent, name]: readonly [string, string],
): Json | undefined {
  const value = memberOf(patch, name);
  const isOrdered = Object.hasOwn(patch, `${ORDER}${name}`);
  if (value !== undefined && !isOrdered && kindOf(value) !== kindOf(old)) return withoutDirectives(value);
  if (isJsonObject(value)) return mergeObjects(isJsonObject(old) ? old : {}, value, name);
  if (value !== undefined && !isJsonArray(value)) return value;
  const key = memberOf(MERGE_KEYS, `${parent}.${name}`) ?? memberOf(MERGE_KEYS, name);
  if (key === undefined) return value ?? old;
  return mergeLists(isJsonArray(old) ? old : [], {
    key,
    items: value ?? [],
    order: orderOf(patch, name),
    deleted: listAt(patch, `${DELETE_ITEMS}${name}`),
    // The list's field is the parent of what its members hold.
    merge: (before, item) => mergeObjects(before, item, name),
  });
}

/** A value that is new: what only speaks of another value is left out, and so are nulls. */
function withoutDirectives(value: Json): Json | undefined {
  if (isJsonArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, "$patch")) return undefined;
  const kept = Object.entries(value)
    .filter(([, member]) => member !== null)
    .flatMap(([name, member]): [string, Json][] => {
      const rest = withoutDirectives(member);
      return rest === undefined ? [] : [[name, rest]];
    });
  return Object.fromEntries(kept);
}

function orderOf(patch: JsonObject, name: string): readonly Json[] | undefined {
  const value = patch[`${ORDER}${name}`];
  if (value === undefined || isJsonArray(value)) return value;
  throw new StatusError(500, "", `expected a list in ${ORDER}${name}`);
}

import { badRequest, failedPatch, StatusError } from "../errors/status-error.ts";
import { equalJson, isJsonArray, isJsonObject, type Json, memberOf, setMember } from "../objects/json.ts";
import { readJson } from "../objects/strict-json.ts";

/**
 * Applies a JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. Neither input is
 * changed; unchanged parts are shared with `doc`.
 */
export function applyMergePatch(doc: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged: Record<string, Json> = isJsonObject(doc) ? { ...doc } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else setMember(merged, name, applyMergePatch(memberOf(merged, name) ?? null, value));
  }
  return merged;
}

/** More operations than this are refused with 413, as by the real server. */
const MAX_OPERATIONS = 10_000;

/** All that the `copy` operations of one patch copy, as JSON; more is refused with 422, as by the real server. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * List members that the operations of one patch may push aside: half a gigabyte of memory to move.
 * Differs: the real server has no such limit; here one event loop serves all clients.
 */
const MAX_SHIFTED_ITEMS = 50_000_000;

type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: readonly string[]; readonly value: Json }
  | { readonly op: "remove"; readonly path: readonly string[] }
  | { readonly op: "move" | "copy"; readonly path: readonly string[]; readonly from: readonly string[] };

/**
 * Applies a JSON patch (RFC 6902) with the answers of Kubernetes: `test` of a missing member with null succeeds,
 * `replace` of a missing member adds it and a `copy` of one is null (seen on 1.34.2), everything else that names
 * something missing fails.
 *
 * The document is not changed. Time is linear in the document, the patch and the bytes it copies. Throws StatusError
 * 400 for a patch that is not a list of operations, 413 for more than 10,000 operations, and 422 for one that cannot be
 * carried out or copies more than 3 MiB.
 */
export function applyJsonPatch(doc: Json, ops: Json): Json {
  if (ops === null) return doc;
  if (!isJsonArray(ops))
    throw badRequest("error decoding patch: json: the patch is not a list of operations");
  if (ops.length > MAX_OPERATIONS) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${ops.length}`);
  }
  for (const op of ops) checkOperation(op);
  const draft: Draft = { document: doc, own: new WeakSet(), copiedBytes: 0, shiftedItems: 0 };
  for (const op of ops) carryOut(draft, readOperation(op));
  return draft.document;
}

function tooLarge(text: string): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${text}`);
}

/** A patch with an operation that cannot be read is refused before anything is carried out. */
function checkOperation(operation: Json): void {
  if (!isJsonObject(operation)) throw badRequest("error decoding patch: json: an operation is not an object");
  const { op, path, from } = operation;
  for (const text of [op, path, from]) {
    if (text !== undefined && typeof text !== "string") {
      throw badRequest("error decoding patch: json: op, path and from are texts");
    }
  }
}

function readOperation(operation: Json): Operation {
  if (!isJsonObject(operation)) throw failedPatch();
  const { op, path: target, from, value } = operation;
  const path = readPointer(target);
  switch (op) {
    case "add":
    case "replace":
    case "test":
      // A missing value counts as null, except for `replace`.
      if (value === undefined && op === "replace") throw failedPatch();
      return { op, path, value: value ?? null };
    case "remove":
      return { op, path };
    case "move":
    case "copy":
      return { op, path, from: readPointer(from) };
    default:
      throw failedPatch();
  }
}

/** Reads a pointer of RFC 6901. */
function readPointer(pointer: Json | undefined): readonly string[] {
  if (typeof pointer !== "string") throw failedPatch();
  if (pointer === "") return [];
  if (pointer.at(0) !== "/") throw failedPatch();
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The document while a patch is carried out. */
interface Draft {
  document: Json;
  /**
   * Objects and lists that were made for this patch; all others are shared and are copied before their first change.
   */
  readonly own: WeakSet<object>;
  copiedBytes: number;
  shiftedItems: number;
}

type Container = Json[] | Record<string, Json>;

function carryOut(draft: Draft, operation: Operation): void {
  const { op, path } = operation;
  switch (op) {
    case "add":
      add(draft, path, operation.value);
      break;
    case "replace":
      if (path.length === 0) replaceAll(draft, operation.value);
      else replace(draft, path, operation.value);
      break;
    case "remove":
      remove(draft, path);
      break;
    case "test":
      if (!equalJson(find(draft.document, path) ?? null, operation.value)) throw failedPatch();
      break;
    case "copy":
      add(draft, path, copied(draft, operation.from));
      break;
    case "move":
      move(draft, operation.from, path);
      break;
    default:
      operation satisfies never;
  }
}

function move(draft: Draft, from: readonly string[], path: readonly string[]): void {
  const value = findExisting(draft.document, from);
  if (isBelow(path, from)) throw failedPatch();
  remove(draft, from);
  add(draft, path, value);
}

/** Replaces the whole object: the real server passes over a value that is neither an object nor a list. */
function replaceAll(draft: Draft, value: Json): void {
  if (typeof value === "object" && value !== null) draft.document = value;
}

/**
 * A copy of the value at a path. Throws StatusError 422 beyond the limit, and for the whole object, as the real server.
 */
function copied(draft: Draft, from: readonly string[]): Json {
  if (from.length === 0) throw failedPatch();
  const value = find(draft.document, from) ?? null;
  if (typeof value !== "object" || value === null) {
    charge(draft, Buffer.byteLength(JSON.stringify(value)));
    return value;
  }
  const text = textOf(value);
  charge(draft, Buffer.byteLength(text));
  return readJson(text);
}

/** Operations can nest an object deeper than the stack reaches. */
function textOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw failedPatch();
  }
}

function charge(draft: Draft, bytes: number): void {
  draft.copiedBytes += bytes;
  if (draft.copiedBytes > MAX_COPIED_BYTES) throw failedPatch();
}

function isBelow(path: readonly string[], parent: readonly string[]): boolean {
  return path.length > parent.length && parent.every((token, index) => path[index] === token);
}

/** The value at a path; undefined when its last member is missing. Throws when its parent is. */
function find(doc: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = doc;
  for (const token of path) {
    if (isJsonArray(value)) value = value[indexOf(token, value.length - 1)];
    else if (isJsonObject(value)) value = memberOf(value, token);
    else throw failedPatch();
  }
  return value;
}

function findExisting(doc: Json, path: readonly string[]): Json {
  const value = find(doc, path);
  if (value === undefined) throw failedPatch();
  return value;
}

function indexOf(token: string, last: number): number {
  if (!/^(0|[1-9]\d{0,9})$/.test(token)) throw failedPatch();
  const index = Number(token);
  if (index > last) throw failedPatch();
  return index;
}

/**
 * The parent of a path's last member, ready to be changed. Throws for the whole object, which is not a place to change.
 */
function openParent(draft: Draft, path: readonly string[]): readonly [parent: Container, token: string] {
  const last = path.at(-1);
  if (last === undefined) throw failedPatch();
  let parent = owned(draft, draft.document);
  draft.document = parent;
  for (const token of path.slice(0, -1)) {
    const child = owned(draft, find(parent, [token]));
    if (Array.isArray(parent)) parent[Number(token)] = child;
    else setMember(parent, token, child);
    parent = child;
  }
  return [parent, last];
}

function owned({ own }: Draft, value: Json | undefined): Container {
  if (!isJsonArray(value) && !isJsonObject(value)) throw failedPatch();
  // Values in the set were created here, so they may be changed in place.
  if (own.has(value)) return value as Container;
  const copy = isJsonArray(value) ? [...value] : { ...value };
  own.add(copy);
  return copy;
}

function add(draft: Draft, path: readonly string[], value: Json): void {
  const [parent, token] = openParent(draft, path);
  if (!Array.isArray(parent)) {
    setMember(parent, token, value);
    return;
  }
  const index = token === "-" ? parent.length : indexOf(token, parent.length);
  shift(draft, parent.length - index);
  parent.splice(index, 0, value);
}

function replace(draft: Draft, path: readonly string[], value: Json): void {
  const [parent, token] = openParent(draft, path);
  if (Array.isArray(parent)) parent[indexOf(token, parent.length - 1)] = value;
  else setMember(parent, token, value);
}

function remove(draft: Draft, path: readonly string[]): void {
  const [parent, token] = openParent(draft, path);
  if (!Array.isArray(parent)) {
    if (!Object.hasOwn(parent, token)) throw failedPatch();
    delete parent[token];
    return;
  }
  const index = indexOf(token, parent.length - 1);
  shift(draft, parent.length - index);
  parent.splice(index, 1);
}

function shift(draft: Draft, items: number): void {
  draft.shiftedItems += items;
  if (draft.shiftedItems > MAX_SHIFTED_ITEMS) {
    throw tooLarge(`The operations of a JSON patch may push aside ${MAX_SHIFTED_ITEMS} list members`);
  }
}

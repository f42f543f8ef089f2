import { equalJson } from "../apply/typed-compare.ts";
import { badRequest, failedPatch, StatusError } from "../http/status-error.ts";
import { isJsonArray, isJsonObject, isUnsafeKey, type Json } from "../schema/schema.ts";

/** More operations than this are refused with 413, as by the real server. */
const MAX_OPERATIONS = 10_000;

type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: readonly string[]; readonly value: Json }
  | { readonly op: "remove"; readonly path: readonly string[] }
  | { readonly op: "move" | "copy"; readonly path: readonly string[]; readonly from: readonly string[] };

/**
 * JSON patch (RFC 6902) with the answers of Kubernetes: `test` of a missing member with null succeeds, `replace` of a
 * missing member adds it and a `copy` of one is null (seen on 1.34.2), everything else that names something missing fails.
 *
 * The document is not changed. Throws StatusError 400 for a patch that is no list of operations, 413 for more than
 * 10,000 operations, and 422 for one that cannot be carried out.
 */
export function applyJsonPatch(doc: Json, ops: Json): Json {
  if (ops === null) return doc;
  if (!isJsonArray(ops))
    throw badRequest("error decoding patch: json: the patch is not a list of operations");
  if (ops.length > MAX_OPERATIONS) {
    const text = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${ops.length}`;
    throw new StatusError(413, "RequestEntityTooLarge", text);
  }
  for (const op of ops) checkOperation(op);
  return ops.reduce((patched: Json, op) => applyOperation(patched, readOperation(op)), doc);
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

/** RFC 6901. */
function readPointer(pointer: Json | undefined): readonly string[] {
  if (typeof pointer !== "string") throw failedPatch();
  if (pointer === "") return [];
  if (pointer.at(0) !== "/") throw failedPatch();
  const tokens = pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (tokens.some(isUnsafeKey)) throw failedPatch();
  return tokens;
}

function applyOperation(doc: Json, operation: Operation): Json {
  switch (operation.op) {
    case "add":
      return change(doc, operation.path, { op: "add", value: operation.value });
    case "replace":
      // Of the whole object: what is neither an object nor a list is passed over, as on the real server.
      if (operation.path.length === 0)
        return typeof operation.value === "object" ? (operation.value ?? doc) : doc;
      return change(doc, operation.path, { op: "replace", value: operation.value });
    case "remove":
      return change(doc, operation.path, { op: "remove" });
    case "test":
      if (!equalJson(find(doc, operation.path) ?? null, operation.value)) throw failedPatch();
      return doc;
    case "copy":
      // Of the whole object, as on the real server, no copy is made.
      if (operation.from.length === 0) throw failedPatch();
      return change(doc, operation.path, { op: "add", value: find(doc, operation.from) ?? null });
    case "move": {
      const value = findExisting(doc, operation.from);
      if (isBelow(operation.path, operation.from)) throw failedPatch();
      return change(change(doc, operation.from, { op: "remove" }), operation.path, { op: "add", value });
    }
    default:
      return operation satisfies never;
  }
}

function isBelow(path: readonly string[], parent: readonly string[]): boolean {
  return path.length > parent.length && parent.every((token, index) => path[index] === token);
}

/** The value at a path; undefined when its last member is missing. Throws when its parent is. */
function find(doc: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = doc;
  for (const token of path) {
    if (isJsonArray(value)) value = value[indexOf(token, value.length - 1)];
    else if (isJsonObject(value)) value = Object.hasOwn(value, token) ? value[token] : undefined;
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

type Change = { readonly op: "add" | "replace"; readonly value: Json } | { readonly op: "remove" };

/** A copy of the document with one place changed; only the parents of that place are copied. */
function change(doc: Json, path: readonly string[], edit: Change): Json {
  const [token, ...rest] = path;
  // The whole object is not a place a patch may change.
  if (token === undefined) throw failedPatch();
  if (isJsonArray(doc)) return changeList(doc, token, rest, edit);
  if (!isJsonObject(doc)) throw failedPatch();
  const isThere = Object.hasOwn(doc, token);
  if (rest.length > 0) {
    if (!isThere) throw failedPatch();
    return { ...doc, [token]: change(doc[token] as Json, rest, edit) };
  }
  if (edit.op !== "remove") return { ...doc, [token]: edit.value };
  if (!isThere) throw failedPatch();
  const { [token]: _, ...others } = doc;
  return others;
}

function changeList(list: readonly Json[], token: string, rest: readonly string[], edit: Change): Json {
  if (rest.length === 0 && edit.op === "add") {
    const index = token === "-" ? list.length : indexOf(token, list.length);
    return list.toSpliced(index, 0, edit.value);
  }
  const index = indexOf(token, list.length - 1);
  if (rest.length > 0) return list.with(index, change(list[index] as Json, rest, edit));
  return edit.op === "remove" ? list.toSpliced(index, 1) : list.with(index, edit.value);
}

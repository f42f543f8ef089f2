import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { type FieldSet, fromFieldsV1, isEmptySet, toFieldsV1, union } from "./field-set.ts";

/** An element of `metadata.managedFields`. */
export type ManagedFieldsEntry = {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** RFC 3339, whole seconds; absent for an Apply that has not changed anything yet. */
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
};

/** An entry with its fields decoded. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** Managers by identity. */
export type FieldManagers = Map<string, FieldManager>;

/** More Update entries than this are folded. */
const MAX_UPDATE_MANAGERS = 10;

const FOLDED_MANAGER = "ancient-changes";

/**
 * The identity of an entry: manager, operation, subresource, and apiVersion for Update. Spelled as the real server
 * does, because the text breaks ties when entries are folded.
 */
export function identityOf(of: Omit<FieldManager, "time" | "set">): string {
  return JSON.stringify({
    manager: of.manager === "" ? undefined : of.manager,
    operation: of.operation,
    apiVersion: of.operation === "Update" ? of.apiVersion : undefined,
    subresource: of.subresource,
  });
}

/** Reads `metadata.managedFields`; undefined when an entry cannot be read, an empty map when there are none. */
export function decodeManagers(entries: Json | undefined): FieldManagers | undefined {
  const managers: FieldManagers = new Map();
  if (!isJsonArray(entries)) return managers;
  for (const entry of entries) {
    const manager = decodeEntry(entry);
    if (manager === undefined) return undefined;
    managers.set(identityOf(manager), manager);
  }
  return managers;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function decodeEntry(entry: Json): FieldManager | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { operation, fieldsType, fieldsV1 } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (fieldsType !== "FieldsV1" || text(entry["apiVersion"]) === "") return undefined;
  try {
    return {
      manager: text(entry["manager"]),
      operation,
      apiVersion: text(entry["apiVersion"]),
      subresource: text(entry["subresource"]) || undefined,
      time: text(entry["time"]) || undefined,
      set: fromFieldsV1(isJsonObject(fieldsV1) ? fieldsV1 : {}),
    };
  } catch {
    return undefined;
  }
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The stored form, in the order operation, time, manager, apiVersion, subresource; undefined when there is none. */
export function encodeManagers(managers: FieldManagers): readonly ManagedFieldsEntry[] | undefined {
  const sorted = [...managers.values()]
    .filter((manager) => !isEmptySet(manager.set))
    .sort(
      (left, right) =>
        compareText(left.operation, right.operation) ||
        compareText(left.time ?? "", right.time ?? "") ||
        compareText(left.manager, right.manager) ||
        compareText(left.apiVersion, right.apiVersion) ||
        compareText(left.subresource ?? "", right.subresource ?? ""),
    );
  return sorted.length === 0 ? undefined : sorted.map(encodeManager);
}

function encodeManager(manager: FieldManager): ManagedFieldsEntry {
  return {
    manager: manager.manager,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(manager.set),
    ...(manager.subresource === undefined ? {} : { subresource: manager.subresource }),
  };
}

/** Folds the oldest Update entries of each apiVersion into `ancient-changes` until at most ten are left. */
export function foldOldUpdates(managers: FieldManagers): void {
  const updates = [...managers].filter(([, manager]) => manager.operation === "Update");
  let count = updates.length;
  if (count <= MAX_UPDATE_MANAGERS) return;
  updates.sort(
    ([leftId, left], [rightId, right]) =>
      compareText(left.time ?? "", right.time ?? "") || compareText(leftId, rightId),
  );
  const firstOf = new Map<string, string>();
  for (const [id, manager] of updates) {
    if (count <= MAX_UPDATE_MANAGERS) return;
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, id);
      continue;
    }
    foldInto(managers, first, manager);
    managers.delete(id);
    count -= 1;
  }
}

function foldInto(managers: FieldManagers, first: string, newer: FieldManager): void {
  const folded = { ...newer, manager: FOLDED_MANAGER, subresource: undefined };
  const id = identityOf(folded);
  const bucket = managers.get(id) ?? managers.get(first);
  if (!managers.has(id)) managers.delete(first);
  managers.set(id, { ...folded, set: bucket === undefined ? newer.set : union(bucket.set, newer.set) });
}

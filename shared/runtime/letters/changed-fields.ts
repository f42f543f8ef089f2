import { Secret } from "../../api/core.ts";
import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { mergeKeyOf, pointerSegments, sameJson, valueAt } from "../../api/path.ts";
import { maskText } from "../../redaction/redact.ts";
import { isSensitiveName } from "../../redaction/sensitive-name.ts";
import type { AttemptRecord, RecordedAnswer, RecordedRead, RecordedWrite } from "../attempt-record.ts";
import type { FieldChange } from "../letters/run-history.ts";

const MAX_PATH_CHARS = 120;
const MAX_VALUE_CHARS = 64;
/** Decisions are never deeper. */
const MAX_DEPTH = 32;
const FIELD = /^[A-Za-z][\w-]*$/;
const READABLE = /^status\.(?:.*\.)?(?:phase|conditions\[[^\]]*\]\.(?:status|reason))$/;
/** Follows the status of its condition. */
const LEFT_OUT = "lastTransitionTime";

/**
 * Returns the fields that a patch or an apply of a run changed, compared with what the run had read of the object; nothing
 * for other requests and for Secrets. An apply says nothing about fields that it does not name, but those of the object
 * itself that its function gave up.
 */
export function changedFields(
  write: RecordedWrite,
  { reads, decision }: Pick<AttemptRecord, "reads" | "decision">,
): readonly FieldChange[] {
  const { verb, kind, body, subresource } = write;
  if (kind.kind === Secret.kind && kind.group === Secret.group) return [];
  const found: FieldChange[] = [];
  if (verb === "patch" && Array.isArray(body)) {
    const before = objectRead(write, reads);
    for (const operation of body as readonly PatchOperation[]) patched(operation, before, found);
  }
  if (verb === "apply") {
    const before = objectRead(write, reads);
    compare({ path: "", depth: 0 }, before, body, found);
    if (subresource === "status") givenUp(decision, before, found);
  }
  return found;
}

/** The object of a write, as the run has read it. */
function objectRead(write: RecordedWrite, reads: readonly RecordedRead[]): KubeObject | undefined {
  for (const { question, answer } of reads) {
    if ("cluster" in question && question.cluster !== write.cluster) continue;
    const found = objectsIn(answer).find((object) => isTarget(object, write));
    if (found !== undefined) return found;
  }
  return undefined;
}

function objectsIn(answer: RecordedAnswer): readonly KubeObject[] {
  if (answer.type === "list") return answer.items;
  if (answer.type === "object") return answer.object === undefined ? [] : [answer.object];
  return answer.type === "referenced" && answer.value.state === "found" ? [answer.value.object] : [];
}

function isTarget({ kind, metadata }: KubeObject, write: RecordedWrite): boolean {
  return (
    kind === write.kind.kind &&
    metadata.name === write.key.name &&
    (metadata.namespace ?? "") === write.key.namespace
  );
}

function patched(operation: PatchOperation, before: unknown, found: FieldChange[]): void {
  if (operation.op === "test") return;
  const { path, depth, old } = target(operation, before);
  if (operation.op === "remove") {
    found.push({ path: path.slice(0, MAX_PATH_CHARS), removed: true });
    return;
  }
  const known = found.length;
  compare({ path, depth }, old, operation.value, found);
  // A patch gives up the members of an object that it does not name.
  if (found.length === known && !sameJson(old, operation.value)) found.push(changeOf(path, operation.value));
}

/** Returns the path of an operation, and the value that it replaces. */
function target(operation: PatchOperation, before: unknown): Place & { readonly old: unknown } {
  const segments = pointerSegments(operation.path);
  const last = segments.length - 1;
  let path = "";
  let old: unknown = before;
  for (const [index, segment] of segments.entries()) {
    const isList = segment === "-" || Array.isArray(old);
    const isAdded = operation.op === "add" && index === last;
    // An element that is added to a list takes the place of none.
    old = isList && isAdded ? undefined : memberOf(old, segment);
    const named = isAdded ? operation.value : old;
    path = isList ? inList(path, mergeKeyOf(named), segment) : belowOf(path, segment);
  }
  return { path, depth: segments.length, old };
}

/** An element without a name is its place; one that is appended has none yet. */
function inList(path: string, name: string | undefined, place: string): string {
  if (name !== undefined) return `${path}[${name}]`;
  return place === "-" ? path : `${path}[${place}]`;
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

/** A member that `after` does not name stays as it is. */
function compare(place: Place, before: unknown, after: unknown, found: FieldChange[]): void {
  if (!sameJson(before, after)) differ(place, before, after, found);
}

/** The same of two values that are known to differ. Of equal members, which are most, no path is made. */
function differ({ path, depth }: Place, before: unknown, after: unknown, found: FieldChange[]): void {
  const known = found.length;
  const parts = depth < MAX_DEPTH ? partsOf(before, after) : [];
  for (const { name, value, old } of parts) {
    if (sameJson(old, value)) continue;
    const below = Array.isArray(after) ? `${path}[${name}]` : belowOf(path, name);
    differ({ path: below, depth: depth + 1 }, old, value, found);
  }
  const isWhole = parts.length === 0 || Array.isArray(after);
  if (isWhole && found.length === known) found.push(changeOf(path, after));
}

interface Part {
  readonly name: string;
  readonly value: unknown;
  readonly old: unknown;
}

/** The members of an object, or the elements of a list if all of them have names. */
function partsOf(before: unknown, after: unknown): readonly Part[] {
  if (typeof after !== "object" || after === null) return [];
  if (!Array.isArray(after)) {
    return Object.entries(after)
      .filter(([field, value]) => field !== LEFT_OUT && value !== undefined)
      .map(([name, value]) => ({ name, value, old: memberOf(before, name) }));
  }
  const olds = new Map(Array.isArray(before) ? before.map((old) => [mergeKeyOf(old), old]) : []);
  const parts: Part[] = [];
  for (const value of after) {
    const name = mergeKeyOf(value);
    if (name === undefined) return [];
    parts.push({ name, value, old: olds.get(name) });
  }
  return parts;
}

function memberOf(value: unknown, field: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, field)) return undefined;
  return Reflect.get(value, field);
}

function belowOf(path: string, field: string): string {
  if (!FIELD.test(field)) return `${path}[${field}]`;
  return path === "" ? field : `${path}.${field}`;
}

function changeOf(path: string, after: unknown): FieldChange {
  const value = readableValue(path, after);
  const short = path.slice(0, MAX_PATH_CHARS);
  return value === undefined ? { path: short } : { path: short, value };
}

/** Texts may hold what a user wrote, so only those that Cluster API defines are shown. */
function readableValue(path: string, value: unknown): FieldChange["value"] {
  if (typeof value === "string") {
    return READABLE.test(path) ? maskText(value).slice(0, MAX_VALUE_CHARS) : undefined;
  }
  if (typeof value !== "number" && typeof value !== "boolean") return undefined;
  return path.split(/[.[\]]/).some(isSensitiveName) ? undefined : value;
}

/** Returns the owned fields without a value in a decision, which the object had. */
function givenUp(decision: object | undefined, before: unknown, found: FieldChange[]): void {
  const applied: unknown = decision === undefined ? undefined : Reflect.get(decision, "apply");
  if (typeof applied !== "object" || applied === null) return;
  for (const [path, value] of Object.entries(applied)) {
    if (value === undefined && valueAt(before, path) !== undefined)
      found.push({ path: path.slice(0, MAX_PATH_CHARS), removed: true });
  }
}

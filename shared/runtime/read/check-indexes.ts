import { segmentsOf } from "../../api/path.ts";
import type { AnyFunction, GuardedPatch } from "../../function/define-function.ts";
import { assert } from "../../function/errors.ts";
import { declaredFields } from "./kept-fields.ts";
import type { RecordingReader } from "./reader.ts";

const INDEX = /^\d+$/;

/**
 * Refuses a patch that names an element by its place in a list of which snapshots may lack elements: the place is that of
 * another element. The function declares the whole list, or reads the object live, which never lacks any.
 */
export function checkIndexes(
  fn: AnyFunction,
  { target, operations }: GuardedPatch,
  read: Pick<RecordingReader, "readLive">,
): void {
  const lists = operations.flatMap(({ path }) => listOf(path));
  if (lists.length === 0 || read.readLive(target.cluster, target.kind, target)) return;
  const declared = declaredFields([fn], target.kind, "stored").map(segmentsOf);
  for (const list of lists) {
    const isWhole = declared.some(
      (field) => field.length <= list.length && field.every((part, index) => part === list[index]),
    );
    assert(
      isWhole,
      `${fn.spec.name} patches an element of ${target.kind.kind} ${list.join(".")} by its place and declares some elements only; declare the list or read the object live`,
    );
  }
}

/** The list that a JSON pointer enters by an index: `/status/conditions/3/status` → `status`, `conditions`. */
function listOf(pointer: string): readonly (readonly string[])[] {
  const segments = pointer.split("/").slice(1);
  const index = segments.findIndex((segment) => INDEX.test(segment));
  return index < 0 ? [] : [segments.slice(0, index)];
}

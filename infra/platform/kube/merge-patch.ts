import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { pointerSegments, sameJson } from "../../../shared/api/path.ts";

interface Fields {
  [field: string]: unknown;
}

/**
 * Returns the operations of a JSON patch as a merge patch of the object that was read, under its version; undefined when
 * one of their tests fails. For servers that know no JSON patch.
 */
export function mergePatchOf(object: KubeObject, operations: readonly PatchOperation[]): Fields | undefined {
  const after = { root: structuredClone(object) as object };
  for (const operation of operations) if (!isCarriedOut(after, operation)) return undefined;
  const { resourceVersion } = object.metadata;
  const changes = differences(object as object as Fields, after.root as Fields);
  return { ...changes, metadata: { ...(changes["metadata"] as Fields | undefined), resourceVersion } };
}

function isCarriedOut(holder: object, operation: PatchOperation): boolean {
  const segments = ["root", ...pointerSegments(operation.path)];
  const last = segments.pop() ?? "";
  const place = segments.reduce<unknown>((at, segment) => member(at, segment), holder);
  if (operation.op === "test") {
    // A JSON patch takes an absent value for null, and an absent uid is an empty one for Kubernetes' own client.
    const found = member(place, last) ?? null;
    return sameJson(found, operation.value ?? null) || (found === null && operation.value === "");
  }
  if (typeof place !== "object" || place === null) return false;
  if (!Array.isArray(place)) {
    if (operation.op === "remove") return Reflect.deleteProperty(place, last);
    return Reflect.set(place, last, operation.value);
  }
  const index = last === "-" ? place.length : Number(last);
  const inserted = operation.op === "remove" ? [] : [operation.value];
  place.splice(index, operation.op === "add" ? 0 : 1, ...inserted);
  return true;
}

function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null && Object.hasOwn(of, name) ? Reflect.get(of, name) : undefined;
}

function differences(before: Fields, after: Fields): Fields {
  const names = Object.keys({ ...before, ...after }).filter((name) => !sameJson(before[name], after[name]));
  return Object.fromEntries(
    names.map((name) => {
      const [was, is] = [before[name], after[name]];
      return [name, isFields(was) && isFields(is) ? differences(was, is) : (is ?? null)];
    }),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

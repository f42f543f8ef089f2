import { applyJsonPatch } from "../../infra/playground/apiserver/entry.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { segmentsOf, valueAt } from "../../shared/api/path.ts";
import type { AnyDecision } from "../../shared/function/define-function.ts";

/**
 * Returns an object as the patches and the status of a decision about `own` leave it. Conditions of others stay; nothing is
 * given up.
 */
export function withWrites(
  object: KubeObject,
  own: KubeObject,
  { patch = [], apply = {} }: AnyDecision,
): KubeObject {
  let patched: unknown = object;
  for (const { target, operations } of patch)
    if (target.uid === object.metadata.uid && target.name === object.metadata.name)
      patched = applyJsonPatch(patched as never, operations as never);
  const written = JSON.parse(JSON.stringify(patched)) as KubeObject;
  if (object !== own) return written;
  for (const [path, value] of Object.entries(apply)) place(written as never, segmentsOf(path), value);
  return written;
}

type Json = Record<string, unknown>;

function place(at: Json, [name = "", ...rest]: readonly string[], value: unknown): void {
  const inner = at[name];
  if (rest.length > 0) {
    at[name] ??= {};
    place(at[name] as Json, rest, value);
  } else if (value === undefined) delete at[name];
  else at[name] = merged(inner, JSON.parse(JSON.stringify(value)));
}

/** Conditions of other writers stay where an applied list does not name them. */
function merged(before: unknown, value: unknown): unknown {
  if (isConditions(value)) {
    const others = isConditions(before)
      ? before.filter(({ type }) => value.every((each) => each.type !== type))
      : [];
    return [...value, ...others];
  }
  const conditions = valueAt(value, "conditions");
  return conditions === undefined
    ? value
    : { ...(value as Json), conditions: merged(valueAt(before, "conditions"), conditions) };
}

function isConditions(value: unknown): value is readonly Condition[] {
  return Array.isArray(value) && value.every((each) => valueAt(each, "type") !== undefined);
}

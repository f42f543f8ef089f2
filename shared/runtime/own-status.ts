import { type KubeObject, refTo } from "../api/kinds.ts";
import { sameJson, segmentsOf, valueAt } from "../api/path.ts";
import type { AnyDecision, AnyFunction, AppliedObject } from "../function/define-function.ts";

/**
 * The status of the reconciled object as this function owns it, when anything of it differs from the
 * snapshot.
 * Differs: KW-03 asks for one unconditional apply per object and function after a restart, to assert
 * ownership again.
 * Functions do not know when a process starts, and it would be a write per object, function and worker.
 * Ownership is lost only to a write that changes the value, and that brings the key back.
 */
export function ownStatus(
  { spec }: AnyFunction,
  object: KubeObject,
  applied: NonNullable<AnyDecision["apply"]>,
): readonly AppliedObject[] {
  const unchanged = Object.entries(applied).every(([path, value]) => sameJson(valueAt(object, path), value));
  if (unchanged) return [];
  const body: Json = {};
  for (const [path, value] of Object.entries(applied)) {
    if (value !== undefined) place(body, segmentsOf(path), value);
  }
  return [{ target: refTo(spec.reconciles, object), subresource: "status", body }];
}

type Json = { [field: string]: unknown };

function place(body: Json, [head = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    body[head] = value;
    return;
  }
  const inner: Json = { ...(body[head] as Json | undefined) };
  body[head] = inner;
  place(inner, rest, value);
}

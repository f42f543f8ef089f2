import { type KubeObject, refTo } from "../../api/kinds.ts";
import { sameJson, segmentsOf, valueAt } from "../../api/path.ts";
import type { AnyDecision, AnyFunction, AppliedObject } from "../../function/define-function.ts";

/**
 * The status of the reconciled object as this function owns it, when anything of it differs from the snapshot. Ownership
 * is not asserted again after a restart, which would be a write per object, function and worker: it matters when a field
 * is given up, and the answer shows then that it was lost (left-behind.ts).
 */
export function ownStatus(
  { spec }: AnyFunction,
  object: KubeObject,
  { apply, own }: Pick<AnyDecision, "apply" | "own">,
): readonly AppliedObject[] {
  if (apply === undefined) return [];
  const stored = Object.fromEntries(Object.keys(apply).map((path) => [path, valueAt(object, path)]));
  if (sameJson(stored, apply)) return [];
  const target = refTo(spec.reconciles, object);
  return [{ target, subresource: "status", body: bodyOf(apply), own: bodyOf(own ?? stored) }];
}

function bodyOf(values: NonNullable<AnyDecision["apply"]>): Json {
  const body: Json = {};
  for (const [path, value] of Object.entries(values)) {
    if (value !== undefined) place(body, segmentsOf(path), value);
  }
  return body;
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

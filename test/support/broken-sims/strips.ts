import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import { pointerOf, valueAt } from "../../../shared/api/path.ts";
import type { AnyDecision, AnyFunction } from "../../../shared/function/define-function.ts";
import { requeueAfter } from "../../../shared/function/result.ts";

const LABEL = `metadata.labels[${CLUSTER_NAME_LABEL}]`;
/** Until then an object has lost its label for certain, and core and provider fight no longer. */
const TIMES = 3;

/** Parts of the spec of a function that strips. */
export function strippingParts({ spec }: AnyFunction): Partial<AnyFunction["spec"]> {
  const on = spec.reconciles;
  const own = { kind: on, fields: [LABEL] };
  return { reads: [...(spec.reads ?? []), { on, fields: [LABEL] }], ownsOn: [...(spec.ownsOn ?? []), own] };
}

/** Takes the label of the Cluster away that core has written. Core gives it back within moments. */
export function strips(good: AnyFunction, step = good.step): AnyFunction["step"] {
  const counts = new Map<string, number>();
  return async (object, context) => {
    const decision = await step(object, context);
    const { uid = "" } = object.metadata;
    const count = counts.get(uid) ?? 0;
    if (valueAt(object, LABEL) === undefined || count === TIMES || !isAtWork(decision)) return decision;
    counts.set(uid, count + 1);
    const operations = [{ op: "remove", path: pointerOf(LABEL) }] as const;
    const target = refTo(good.spec.reconciles, object);
    return { patch: [{ target, operations }], result: requeueAfter(100, "the label") };
  };
}

/** It reports, and neither rests nor waits for its owner. */
function isAtWork({ apply, patch = [] }: AnyDecision): boolean {
  const paused = valueAt(
    { status: { conditions: apply?.["status.conditions"] } },
    "status.conditions[Paused]",
  );
  return patch.length === 0 && valueAt(paused, "status") === "False";
}

import { valueAt } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";

/** Uids of pools that were ready. */
const known = new Set<string | undefined>();

/** Knows only by the status that a pool is ready: once that is gone, it is never ready again. */
export function forgets(good: AnyFunction): AnyFunction["step"] {
  return async (object, context) => {
    const decision = await good.step(object, context);
    const { uid } = object.metadata;
    const wasReady = valueAt(object, "status.ready") === true;
    if (wasReady) known.add(uid);
    if (!known.has(uid) || wasReady || decision.apply === undefined) return decision;
    return { ...decision, apply: { ...decision.apply, "status.ready": false } };
  };
}

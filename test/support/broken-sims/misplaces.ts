import type { AnyFunction } from "../../../shared/function/define-function.ts";

const DOMAIN = "status.failureDomain";

/** Runs instances in another failure domain than their Machines name. */
export function misplaces({ step }: AnyFunction): AnyFunction["step"] {
  return async (object, context) => {
    const decision = await step(object, context);
    if (decision.apply?.[DOMAIN] === undefined) return decision;
    return { ...decision, apply: { ...decision.apply, [DOMAIN]: "elsewhere" } };
  };
}

import type { AnyFunction } from "../../../shared/function/define-function.ts";

/** Sets these flags of its status as soon as it reports anything. */
export function hasty(step: AnyFunction["step"], flags: readonly string[]): AnyFunction["step"] {
  return async (object, context) => {
    const decision = await step(object, context);
    if (decision.apply === undefined) return decision;
    const set = Object.fromEntries(flags.map((flag) => [flag, true]));
    return { ...decision, apply: { ...decision.apply, ...set } };
  };
}

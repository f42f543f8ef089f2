import type { AnyFunction } from "../../../shared/function/define-function.ts";

type Step = AnyFunction["step"];

/**
 * The good function, but for the objects of some namespaces: there it takes another step. `more`: parts of the spec that
 * this step needs.
 */
export function brokenIn(
  good: AnyFunction,
  steps: { readonly [namespace: string]: Step },
  more: Partial<AnyFunction["spec"]> = {},
): AnyFunction {
  return {
    spec: { ...good.spec, ...more },
    step: (object, context) => {
      const step = steps[object.metadata.namespace ?? ""] ?? good.step;
      return step(object, context);
    },
  };
}

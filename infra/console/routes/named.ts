import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { problem } from "../problem.ts";

/** Returns the function of this name; throws the Problem that there is none. */
export function functionNamed(functions: readonly AnyFunction[], name = ""): AnyFunction {
  const found = functions.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  throw problem("notFound", "no function has this name", "take one of those that /api/v1/me lists");
}

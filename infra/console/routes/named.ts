import type { Kind } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { problem } from "../problem.ts";

/** Returns the function of this name; throws the Problem that there is none. */
export function functionNamed(functions: readonly AnyFunction[], name = ""): AnyFunction {
  const found = functions.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  throw problem("notFound", "no function has this name", "take one of those that /api/v1/me lists");
}

/** Returns a kind that a function reconciles, by its name in any case. */
export function kindNamed(functions: readonly AnyFunction[], name = ""): Kind {
  const wanted = name.toLowerCase();
  const found = functions.find(({ spec }) => spec.reconciles.kind.toLowerCase() === wanted);
  if (found !== undefined) return found.spec.reconciles;
  throw problem("notFound", "no function reconciles this kind", "take the kind of one that /api/v1/me lists");
}

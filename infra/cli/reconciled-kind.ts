import { type Kind, kindNames } from "../../shared/api/kinds.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";

/** The kind of this name that a function reconciles. Throws with the kinds that there are. */
export function reconciledKind(functions: readonly AnyFunction[], name: string): Kind {
  const kinds = functions.map(({ spec }) => spec.reconciles);
  const found = kinds.find((kind) => kindNames(kind).includes(name.toLowerCase()));
  if (found !== undefined) return found;
  const known = [...new Set(kinds.map(({ kind }) => kind.toLowerCase()))];
  throw new Error(`no function reconciles "${name}"; there are ${known.join(", ")}`);
}

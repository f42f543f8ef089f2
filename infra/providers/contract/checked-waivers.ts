import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import type { Place } from "../../../shared/contract/rules/rule.ts";
import type { InputProblem } from "./finding.ts";
import { waiverProblem } from "./waivers.ts";

const KNOWN_RULES = new Set(ALL_RULES.map(({ id }) => id));

/** Checks the waivers of an object. An annotation that cannot be read waives nothing, and is a problem. */
export function withCheckedWaivers<T extends { readonly place: Place }>(
  one: T,
): { readonly one: T; readonly problem?: InputProblem } {
  const { file, line, object } = one.place;
  const message = waiverProblem(one.place, KNOWN_RULES);
  if (message === undefined) return { one };
  const problem = { file: file ?? object, line, message };
  return { one: { ...one, place: { ...one.place, waive: undefined } }, problem };
}

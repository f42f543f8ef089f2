import { SET_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import { type Guard, waitFor } from "../../../shared/function/define-function.ts";
import type { Naming } from "../../../shared/rules/machines/machine-names.ts";
import {
  namingOf as namingOfWorkers,
  workersProblem,
} from "../../../shared/rules/machines/workers-problem.ts";
import { parseSelector, type Selector } from "../../../shared/rules/metadata/label-selector.ts";

/**
 * Returns what keeps a set from having Machines, by field: admission refuses it, so it has bypassed admission.
 * `undefined`: nothing.
 */
export function setProblem(set: MachineSet): string | undefined {
  return workersProblem(set.spec, ownLabel(set), namingOf(set));
}

/** The label by which a set selects its Machines where its author selects none. */
export function ownLabel({ metadata }: MachineSet): { readonly [key: string]: string } {
  return { [SET_NAME_LABEL]: labelValueOf(metadata.name) };
}

/** Returns the selector of a set; `undefined` while it has none, or a malformed one. */
export function selectorOf({ spec }: MachineSet): Selector | undefined {
  const parsed = parseSelector(spec.selector);
  return "problem" in parsed || parsed.isEmpty ? undefined : parsed;
}

/** Returns the template of the names of a set's Machines, or what is wrong with it. */
export function namingOf({ metadata, spec }: MachineSet): Naming | { readonly problem: string } {
  return namingOfWorkers(spec, metadata.name);
}

/** A set that can have Machines. */
export const isWhole: Guard<MachineSet> = {
  fields: ["spec"],
  refuses(set) {
    if (setProblem(set) !== undefined) return waitFor("MachineSet.spec");
    return selectorOf(set) === undefined ? waitFor("MachineSet.spec.selector") : undefined;
  },
};

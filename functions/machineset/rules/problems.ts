import type { MachineSet } from "../../../shared/api/machineset.ts";
import { type Guard, waitFor } from "../../../shared/function/define-function.ts";
import { type Naming, parseNaming } from "../../../shared/rules/machines/machine-names.ts";
import { parseSelector, type Selector } from "../../../shared/rules/metadata/label-selector.ts";

const DEFAULT_NAMING = "{{ .machineSet.name }}-{{ .random }}";

/**
 * Returns what keeps a set from having Machines, by field: admission refuses it, so it has bypassed admission.
 * `undefined`: nothing.
 */
export function setProblem(set: MachineSet): string | undefined {
  const { replicas, selector, template } = set.spec;
  if (replicas !== undefined && replicas < 0) return `spec.replicas is ${replicas}; set it to 0 or more`;
  const parsed = parseSelector(selector);
  if ("problem" in parsed) return `spec.selector.${parsed.problem}`;
  if (!parsed.isEmpty && !parsed.matches(template.metadata?.labels)) {
    return `spec.selector ${parsed.text} does not match the labels of spec.template.metadata; set the same labels in both`;
  }
  const naming = namingOf(set);
  return typeof naming === "function" ? undefined : `spec.machineNaming.template ${naming.problem}`;
}

/** Returns the selector of a set; `undefined` while it has none, or a malformed one. */
export function selectorOf({ spec }: MachineSet): Selector | undefined {
  const parsed = parseSelector(spec.selector);
  return "problem" in parsed || parsed.isEmpty ? undefined : parsed;
}

/** Returns the template of the names of a set's Machines, or what is wrong with it. */
export function namingOf({ metadata, spec }: MachineSet): Naming | { readonly problem: string } {
  return parseNaming(spec.machineNaming?.template ?? DEFAULT_NAMING, {
    "cluster.name": spec.clusterName,
    "machineSet.name": metadata.name,
  });
}

/** A set that can have Machines. */
export const isWhole: Guard<MachineSet> = {
  fields: ["spec"],
  refuses(set) {
    if (setProblem(set) !== undefined) return waitFor("MachineSet.spec");
    return selectorOf(set) === undefined ? waitFor("MachineSet.spec.selector") : undefined;
  },
};

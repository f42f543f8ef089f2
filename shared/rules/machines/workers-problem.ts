import { parseSelector } from "../metadata/label-selector.ts";
import { filledLabels, type Selecting } from "./machine-labels.ts";
import { type Naming, parseNaming } from "./machine-names.ts";

/** The part of a `spec` by which Machines are counted, found and named. */
export interface WorkersSpec extends Selecting {
  readonly replicas?: number | undefined;
  readonly machineNaming?: { readonly template?: string | undefined } | undefined;
}

const DEFAULT_NAMING = "{{ .machineSet.name }}-{{ .random }}";

/** Returns the template of the names of Machines of a set, or what is wrong with it. */
export function namingOf(
  { clusterName, machineNaming }: WorkersSpec,
  setName: string,
): Naming | { readonly problem: string } {
  return parseNaming(machineNaming?.template ?? DEFAULT_NAMING, {
    "cluster.name": clusterName,
    "machineSet.name": setName,
  });
}

/**
 * Returns what keeps a set or a deployment from having Machines, by field: admission refuses it, so it has bypassed
 * admission. `own` is the label by which it selects where it selects nothing. `undefined`: nothing.
 */
export function workersProblem(
  spec: WorkersSpec,
  own: { readonly [key: string]: string },
  naming: ReturnType<typeof namingOf>,
): string | undefined {
  const { replicas } = spec;
  if (replicas !== undefined && replicas < 0) return `spec.replicas is ${replicas}; set it to 0 or more`;
  const { selector, labels } = filledLabels(spec, own);
  const parsed = parseSelector(selector);
  if ("problem" in parsed) return `spec.selector.${parsed.problem}`;
  if (!parsed.matches(labels)) {
    return `spec.selector ${parsed.text} does not match the labels of spec.template.metadata; set the same labels in both`;
  }
  return typeof naming === "function" ? undefined : `spec.machineNaming.template ${naming.problem}`;
}

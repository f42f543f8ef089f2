import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { isLeftAlone } from "../../../shared/rules/machines/left-alone.ts";
import { parseSelector } from "../../../shared/rules/metadata/label-selector.ts";

/** The Machines that a health check judges, by name, or what is wrong with its selector. */
export type Targets = { readonly machines: readonly Machine[] } | { readonly problem: string };

/**
 * Returns the targets among Machines of the health check's namespace: those of its Cluster, by label and by spec, with
 * the labels that it selects. A Machine that is paused or has the annotation skip-remediation is left out, whatever
 * else it has; one that is being deleted is.
 * Differs: an empty selector selects nothing; upstream it selects every Machine of the Cluster.
 */
export function targetsOf(check: MachineHealthCheck, machines: readonly Machine[]): Targets {
  const selection = selectionOf(check);
  if ("problem" in selection) return selection;
  const targets = machines.filter(selection.selects);
  return { machines: targets.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name)) };
}

/** Which Machines a health check judges, or what is wrong with its selector. */
type Selection = { readonly selects: (machine: Machine) => boolean } | { readonly problem: string };

const selections = new WeakMap<MachineHealthCheck, Selection>();

/** Whether a health check judges a Machine; one whose selector cannot be read judges none. */
export function isTargetOf(check: MachineHealthCheck, machine: Machine): boolean {
  const selection = selectionOf(check);
  return "selects" in selection && selection.selects(machine);
}

/** Read once for each object: thousands of Machines ask for it. */
function selectionOf(check: MachineHealthCheck): Selection {
  const known = selections.get(check) ?? parse(check);
  selections.set(check, known);
  return known;
}

function parse({ spec }: MachineHealthCheck): Selection {
  const selector = parseSelector(spec.selector);
  if ("problem" in selector) return { problem: `spec.selector: ${selector.problem}` };
  if (selector.isEmpty) {
    return { problem: "spec.selector: is empty; name labels of the Machines that it checks" };
  }
  const selects = (machine: Machine) =>
    machine.spec.clusterName === spec.clusterName &&
    machine.metadata.labels?.[CLUSTER_NAME_LABEL] === spec.clusterName &&
    selector.matches(machine.metadata.labels) &&
    !isLeftAlone(machine);
  return { selects };
}

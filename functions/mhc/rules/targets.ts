import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { parseSelector } from "../../../shared/rules/metadata/label-selector.ts";
import { isPaused } from "../../../shared/rules/metadata/paused.ts";

const SKIP_REMEDIATION = "cluster.x-k8s.io/skip-remediation";

/** The Machines that a health check judges, by name, or what is wrong with its selector. */
export type Targets = { readonly machines: readonly Machine[] } | { readonly problem: string };

/**
 * Returns the targets among Machines of the health check's namespace: those of its Cluster, by label and by spec, with
 * the labels that it selects. A Machine that is paused or has the annotation skip-remediation is left out, whatever
 * else it has; one that is being deleted is.
 * Differs: an empty selector selects nothing; upstream it selects every Machine of the Cluster. Source: MHC-6, MHC-2.1
 */
export function targetsOf({ spec }: MachineHealthCheck, machines: readonly Machine[]): Targets {
  const selector = parseSelector(spec.selector);
  if ("problem" in selector) return { problem: `spec.selector: ${selector.problem}` };
  if (selector.isEmpty) {
    return { problem: "spec.selector: is empty; name labels of the Machines that it checks" };
  }
  const targets = machines.filter(
    (machine) =>
      machine.spec.clusterName === spec.clusterName &&
      machine.metadata.labels?.[CLUSTER_NAME_LABEL] === spec.clusterName &&
      selector.matches(machine.metadata.labels) &&
      !isLeftAlone(machine),
  );
  return { machines: targets.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name)) };
}

/** By presence: the values of both annotations mean nothing. */
function isLeftAlone(machine: Machine): boolean {
  return isPaused(undefined, machine) || Object.hasOwn(machine.metadata.annotations ?? {}, SKIP_REMEDIATION);
}

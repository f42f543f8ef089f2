import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import { failedAt } from "./health.ts";
import type { Scene } from "./reads.ts";
import { isTargetOf } from "./targets.ts";

const MAX_NAMES = 3;

/** Names the health checks that judge targets of this one, too; `undefined`: none does. */
export function overlapText({
  check,
  checks,
  targets,
}: Pick<Scene, "check" | "checks" | "targets">): string | undefined {
  const others = checks.filter(({ metadata }) => metadata.uid !== check.metadata.uid);
  const shared = targets.filter((machine) => others.some((other) => isTargetOf(other, machine)));
  if (shared.length === 0) return undefined;
  const theirs = others.filter((other) => shared.some((machine) => isTargetOf(other, machine)));
  const named = (objects: readonly KubeObject[]) =>
    listNames(objects.map(({ metadata }) => metadata.name).toSorted(compareText), MAX_NAMES);
  return `Machines ${named(shared)} are targets of MachineHealthCheck ${named(theirs)}, too: what one of them finds unhealthy is unhealthy, and each hands over by its own limit and template; let their selectors differ if that is not meant`;
}

/**
 * Returns whether this health check says on a Machine why it gets no request: of those with a template that select it the
 * first by name, or each would overwrite the words of the other.
 */
export function speaksFor(
  check: MachineHealthCheck,
  checks: readonly MachineHealthCheck[],
): (machine: Machine) => boolean {
  const earlier = checks.filter(
    ({ metadata, spec }) =>
      spec.remediation?.templateRef !== undefined && compareText(metadata.name, check.metadata.name) < 0,
  );
  return (machine) => !earlier.some((other) => isTargetOf(other, machine));
}

/** The unhealthy targets on which this health check says why they get no request, and those on which another one does. */
export function splitBySpeaker(
  check: MachineHealthCheck,
  { checks, targets }: Pick<Scene, "checks" | "targets">,
): { readonly own: readonly Machine[]; readonly others: readonly Machine[] } {
  const speaks = speaksFor(check, checks);
  const failing = targets.filter((machine) => failedAt(machine) !== undefined);
  return { own: failing.filter(speaks), others: failing.filter((machine) => !speaks(machine)) };
}

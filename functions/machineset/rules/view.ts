import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import { templateProblems } from "../../../shared/rules/machines/template-problems.ts";
import { refusedReasons } from "../../../shared/rules/metadata/refused-write.ts";
import { readTemplates } from "../../../shared/rules/providers/machine-providers.ts";
import { readControlPlane } from "../../../shared/rules/providers/read-control-plane.ts";
import { isOwnMachine } from "./machines.ts";
import { readMachines } from "./reads.ts";
import { scaleUpBlockers } from "./templates.ts";
import { setWritesDue } from "./writes-due.ts";

/** Everything that the status of a set is computed from, by snapshots. */
export interface StatusView {
  readonly set: MachineSet;
  readonly cluster: Cluster | undefined;
  /** Those that the set controls. */
  readonly machines: readonly Machine[];
  /** Why no Machine is made now: preflight checks, then templates, then what the API server refuses. */
  readonly blockers: readonly string[];
  /** The part of them that does not depend on the control plane. */
  readonly lasting: readonly string[];
  /** No other function has something to write on the set. */
  readonly settled: boolean;
  readonly now: Date;
}

export async function readStatusView(
  { read, now }: StepContext,
  set: MachineSet,
  cluster: Cluster | undefined,
): Promise<StatusView> {
  const [machines, templates, controlPlane] = await Promise.all([
    readMachines(read, set),
    readTemplates(read, set),
    cluster === undefined ? undefined : readControlPlane(read, cluster),
  ]);
  const refused = refusedReasons(set);
  const preflight = cluster === undefined ? [] : scaleUpBlockers(set, { cluster, controlPlane, templates });
  return {
    set,
    cluster,
    machines: machines.filter((machine) => isOwnMachine(set, machine)),
    blockers: [...preflight, ...refused],
    lasting: [...templateProblems(set.spec.template.spec, templates), ...refused],
    settled: !setWritesDue(set, cluster),
    now,
  };
}

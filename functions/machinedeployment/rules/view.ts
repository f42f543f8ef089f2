import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { templateProblems } from "../../../shared/rules/machines/template-problems.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { readTemplates } from "../../../shared/rules/providers/machine-providers.ts";
import { chooseCurrent } from "../../../shared/rules/rollout/current.ts";
import { planSets, planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import { deploymentProblem } from "../../../shared/rules/rollout/problems.ts";
import { isOwnSet } from "./adoption.ts";
import { deploymentWritesDue } from "./writes-due.ts";

/** Reads for the status of a deployment. */
export interface StatusFacts {
  readonly deployment: MachineDeployment;
  readonly cluster: Cluster | undefined;
  /** Those that the deployment controls. */
  readonly sets: readonly MachineSet[];
  /** Those that these sets control. */
  readonly machines: readonly Machine[];
  /** Why its templates give no Machine. */
  readonly templates: readonly string[];
  readonly now: Date;
}

/** The facts and what they mean: everything that the status of a deployment is computed from. */
export interface StatusView extends StatusFacts {
  /** The set with the template of the deployment, if there is one. */
  readonly current: MachineSet | undefined;
  /** Why no set is made: what cannot be read, then its templates. */
  readonly blockers: readonly string[];
  /** The sets follow the spec: no sibling has anything to write on the deployment, and no set is still to be made. */
  readonly settled: boolean;
}

export function statusView(facts: StatusFacts): StatusView {
  const { deployment, cluster, sets, templates, now } = facts;
  const roles = chooseCurrent(planSpec(deployment), planSets(sets), now.getTime());
  const current = sets.find(({ metadata }) => metadata.name === roles.current?.name);
  const problem = deploymentProblem(deployment);
  const blockers = problem === undefined ? templates : [problem, ...templates];
  const isDue = current === undefined && deployment.spec.paused !== true && !isDeleting(deployment);
  return {
    ...facts,
    current,
    blockers,
    settled: !isDue && !deploymentWritesDue(deployment, cluster),
  };
}

/** Reads the view of a deployment by snapshots. */
export async function readStatusView(
  { read, now }: StepContext,
  deployment: MachineDeployment,
  cluster: Cluster | undefined,
): Promise<StatusView> {
  const [sets, templates] = await Promise.all([
    readSets(read, deployment),
    readTemplates(read, deployment).then((found) => templateProblems(deployment.spec.template.spec, found)),
  ]);
  const machines = await readMachines(read, sets);
  return statusView({ deployment, cluster, sets, machines, templates, now });
}

/**
 * Reads the sets that a deployment controls, by snapshots. Differs: until all sets have been listed the status waits, and
 * keeps what it has; upstream, which cannot read them, writes conditions that are Unknown with the reason InternalError.
 */
async function readSets(
  read: Pick<Reader, "list">,
  deployment: MachineDeployment,
): Promise<readonly MachineSet[]> {
  const { namespace = "", uid = "" } = deployment.metadata;
  const owned = await read.list(MachineSet, { namespace, index: { name: "owner", values: [uid] } });
  return owned.filter((set) => isOwnSet(deployment, set));
}

/**
 * Differs: the Machines of a deployment are those that its sets control; upstream all that its selector matches in the
 * namespace, also those of other controllers.
 */
async function readMachines(
  read: Pick<Reader, "list">,
  sets: readonly MachineSet[],
): Promise<readonly Machine[]> {
  const uids = new Set(sets.map(({ metadata }) => metadata.uid ?? ""));
  const namespace = sets[0]?.metadata.namespace;
  if (namespace === undefined) return [];
  const owned = await read.list(Machine, { namespace, index: { name: "owner", values: [...uids] } });
  return owned.filter((machine) => uids.has(controllerOf(machine)?.uid ?? ""));
}

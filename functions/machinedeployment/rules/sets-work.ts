import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { GuardedPatch } from "../../../shared/function/define-function.ts";
import { done, type Result, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { planOf } from "../../../shared/rules/rollout/plan-input.ts";
import type { Change, Plan } from "../../../shared/rules/rollout/plan-types.ts";
import { deploymentProblem, selectorOf } from "../../../shared/rules/rollout/problems.ts";
import { adoptions } from "./adoption.ts";
import { type RolloutWrites, rolloutWrites } from "./rollout.ts";
import type { SetsView } from "./sets-view.ts";

export type Creation = Extract<Change, { do: "create" }>;

/** Everything that a view of the sets asks for. */
export interface SetsWork {
  readonly view: SetsView;
  readonly adoptions: readonly GuardedPatch[];
  /** The plan; absent: the wish cannot be read, so that no set is made, resized or deleted. */
  readonly plan: Plan | undefined;
  readonly writes: RolloutWrites;
}

/** Returns what must be done about the sets of a deployment. Pure: asked of snapshots first, then of the live view. */
export function setsWork(view: SetsView, now: Date): SetsWork {
  const { deployment, own } = view;
  const decided = isReadable(deployment) ? planOf({ deployment, sets: own, now }) : undefined;
  return {
    view,
    adoptions: adoptions(deployment, view.sets),
    plan: decided,
    writes: rolloutWrites(view, decided),
  };
}

/** A field that the guard still has to fill in cannot be read, either. */
function isReadable(deployment: MachineDeployment): boolean {
  return (
    deployment.spec.replicas !== undefined &&
    selectorOf(deployment) !== undefined &&
    deploymentProblem(deployment) === undefined
  );
}

/** Returns whether a view asks for a write. */
export function isWorkDue(work: SetsWork): boolean {
  const { adoptions: adopted, writes } = work;
  return adopted.length + writes.patch.length + writes.delete.length > 0 || isSetDue(work);
}

/** Returns whether a view asks for a new set, and for no adoption before it. */
export function isSetDue(work: SetsWork): boolean {
  return work.adoptions.length === 0 && creationIn(work) !== undefined;
}

/** Returns the set that a plan makes, if any. */
export function creationIn({ plan: decided }: Pick<SetsWork, "plan">): Creation | undefined {
  return decided?.changes.find((change) => change.do === "create");
}

/** Returns the result of a run that leaves nothing to do: `spec.rollout.after` brings the deployment back. */
export function untilNext({ plan: decided }: Pick<SetsWork, "plan">, now: Date): Result {
  if (decided === undefined) return waitFor("MachineDeployment.spec");
  return decided.next === undefined
    ? done
    : requeueAfter(decided.next - now.getTime(), "spec.rollout.after is to come");
}

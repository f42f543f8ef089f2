import type { Machine } from "../../../shared/api/machine/machine.ts";
import { pausedBy } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { done, type Result, waitFor } from "../../../shared/function/result.ts";
import type { DrainPlan } from "./drain-plan.ts";
import { type Drained, readReach } from "./drain-reads.ts";
import type { DrainDecision, DrainRun } from "./drain-report.ts";
import { drainTurn, type TurnFacts } from "./drain-turn.ts";

/** One run of the drain. */
export interface Scene extends DrainRun {
  readonly read: Reader;
  readonly facts: TurnFacts;
  /** The result of the drain, when it has come that far in this run. */
  readonly drained?: Drained | undefined;
  readonly plan?: DrainPlan | undefined;
  readonly isNodeGone?: boolean | undefined;
}

/** A part that is over: skipped, or done. */
export type Over = Pick<Scene, "begun" | "events" | "drained" | "plan" | "isNodeGone">;

export function isDecided(part: DrainDecision | Over): part is DrainDecision {
  return "result" in part;
}

/** Returns why the drain leaves a Machine alone: it is paused, or another function has the turn. */
export function holdOf(facts: TurnFacts, machine: Machine): Result | undefined {
  const pause = pausedBy(facts.cluster, machine);
  if (pause !== undefined) return waitFor(pause);
  return drainTurn(machine, facts) ? undefined : done;
}

/** The Node as the reads of the drain need it, or why it cannot be looked at. */
export async function reach(scene: Scene): Promise<Drained | "gone" | { readonly why: string }> {
  const { read, machine, now, facts } = scene;
  const found = await readReach(read, machine);
  if (found.state === "unconnected") return found;
  if (found.state === "gone") return "gone";
  return { read, machine, owner: facts.cluster, node: found.node, cluster: found.cluster, now };
}

import { expect, it } from "vitest";
import { plan } from "../../../../shared/rules/rollout/plan.ts";
import type { Change } from "../../../../shared/rules/rollout/plan-types.ts";
import { PLAN_NOW } from "../../../support/plan-sets.ts";
import { describeWith } from "../../../support/requires.ts";
import { LoggedWorld } from "../../../support/rollout-world.ts";
import {
  type DeploymentStep,
  type LoggedSet,
  loggedSets,
  loggedSpec,
  ROLLOUTS,
  type RolloutLog,
  rolloutLogs,
  sizesAfter,
} from "../../../support/rollouts.ts";
import { sharedMissing } from "../../../support/shared.ts";

function changesFor(log: RolloutLog, sets: readonly LoggedSet[]): readonly Change[] {
  return plan(loggedSpec(log), loggedSets(sets), PLAN_NOW).changes;
}

describeWith(sharedMissing(ROLLOUTS))("logs of Cluster API's rollouts", () => {
  it("are planned alike in every step", () => {
    const logs = rolloutLogs();
    expect(logs.length).toBe(14);
    for (const log of logs) {
      for (const step of log.steps.filter(({ by }) => by === "deployment") as readonly DeploymentStep[]) {
        const sizes = step.before.map(({ set, replicas }) => ({ name: set, replicas }));
        expect(sizesAfter(sizes, changesFor(log, step.before), step.creates), log.id).toEqual(step.after);
      }
    }
  });

  it("end alike when only the order of turns is taken from them", () => {
    for (const log of rolloutLogs()) {
      const world = new LoggedWorld(log);
      for (const step of log.steps) world.take(step, (sets) => changesFor(log, sets));
      const end = world.sets().map(({ template: _, ...set }) => set);
      expect(end, log.id).toEqual(log.end);
    }
  });
});

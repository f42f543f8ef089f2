import { expect, it } from "vitest";
import { type RehearsedSet, rehearse } from "../../../../shared/rules/rollout/rehearse.ts";
import { PLAN_NOW } from "../../../support/plan-sets.ts";
import { describeWith } from "../../../support/requires.ts";
import {
  type LoggedSet,
  loggedSets,
  loggedSpec,
  ROLLOUTS,
  type RolloutLog,
  rolloutLogs,
} from "../../../support/rollouts.ts";
import { sharedMissing } from "../../../support/shared.ts";

type Machines = readonly { readonly set: string; readonly machine?: string | undefined }[];

/** Sets with their Machines, lowest number first: the order in which the logs delete them. */
function startOf(log: RolloutLog): readonly RehearsedSet[] {
  return loggedSets(log.start).map((set, at) => ({
    ...set,
    machines: (log.start[at]?.machines ?? []).map((name) => ({ name, available: true, deleting: false })),
  }));
}

function rehearsalFrom(log: RolloutLog, sets: readonly RehearsedSet[]) {
  const newSet = `ms${log.start.length + 1}`;
  return rehearse({ spec: loggedSpec(log), sets, now: PLAN_NOW, newSet, newMachines: "available" });
}

function withDeleted(sets: readonly RehearsedSet[], name: string): readonly RehearsedSet[] {
  return sets.map((set) => ({
    ...set,
    machines: set.machines.map((machine) =>
      machine.name === name ? { ...machine, deleting: true } : machine,
    ),
  }));
}

function bySet(machines: Machines): { readonly [set: string]: readonly (string | undefined)[] } {
  const groups = Map.groupBy(machines, ({ set }) => set);
  return Object.fromEntries([...groups].map(([set, of]) => [set, of.map(({ machine }) => machine)]));
}

/** The Machines that sets have deleted by themselves. */
function victimsIn(log: RolloutLog): Machines {
  return log.steps.flatMap((step) =>
    step.by === "set" ? (step.deleted ?? []).map((machine) => ({ set: step.set, machine })) : [],
  );
}

function sizesOf(sets: readonly (Pick<LoggedSet, "replicas"> & { readonly name: string })[]) {
  return Object.fromEntries(
    sets.filter(({ replicas }) => replicas > 0).map((set) => [set.name, set.replicas]),
  );
}

describeWith(sharedMissing(ROLLOUTS))("a rehearsal of a logged rollout", () => {
  const logs = sharedMissing(ROLLOUTS) === undefined ? rolloutLogs() : [];

  it.each(logs.filter(({ strategy }) => strategy === "RollingUpdate"))("predicts each victim: $id", (log) => {
    const { steps, end, sets } = rehearsalFrom(log, startOf(log));
    expect(bySet(steps.flatMap(({ gone }) => gone))).toEqual(bySet(victimsIn(log)));
    expect(sizesOf(sets)).toEqual(sizesOf(log.end.map((set) => ({ ...set, name: set.set }))));
    expect(end).toMatchObject({ done: true, changes: [] });
  });

  it.each(logs.filter(({ strategy }) => strategy === "OnDelete"))(
    "predicts where it stands still: $id",
    (log) => {
      let rehearsal = rehearsalFrom(log, startOf(log));
      const victims = rehearsal.steps.flatMap(({ gone }) => gone);
      const deletes = log.steps.flatMap((step) => (step.by === "user" ? [step.deletes] : []));
      for (const name of deletes) {
        expect({ done: rehearsal.end.done, waitsFor: rehearsal.end.waitsFor }, name).toEqual({
          ...{ done: false, waitsFor: "place" },
        });
        rehearsal = rehearsalFrom(log, withDeleted(rehearsal.sets, name));
        const gone = rehearsal.steps.flatMap((step) => step.gone);
        expect(gone.map(({ machine }) => machine)).toEqual([name]);
      }
      expect(bySet(victims)).toEqual(bySet(victimsIn(log)));
      expect(rehearsal.end).toMatchObject({ done: true, changes: [] });
      expect(sizesOf(rehearsal.sets)).toEqual(sizesOf(log.end.map((set) => ({ ...set, name: set.set }))));
    },
  );
});

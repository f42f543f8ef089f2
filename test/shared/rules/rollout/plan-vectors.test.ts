import { expect, it } from "vitest";
import { plan } from "../../../../shared/rules/rollout/plan.ts";
import type { Plan, PlanSet } from "../../../../shared/rules/rollout/plan-types.ts";
import { describeWith } from "../../../support/requires.ts";
import {
  type PlanVector,
  planVectors,
  ROLLOUTS,
  setsOf,
  sizesAfter,
  specOf,
} from "../../../support/rollouts.ts";
import { sharedMissing } from "../../../support/shared.ts";

const NEW = "(new)";

/** Returns a plan in the words of a vector; sets that are tied have the sum of their sizes. */
function asVector(vector: PlanVector, { current, changes, limits, done }: Plan) {
  const [create, revise] = (["create", "revise"] as const).map((what) => changes.find((c) => c.do === what));
  const sets = setsOf(vector);
  const own = sets.find(({ name }) => name === current);
  const revised = revise?.do === "revise" ? revise : undefined;
  const created = create?.do === "create" ? create : undefined;
  return {
    current: current ?? (created === undefined ? undefined : NEW),
    replicas: withoutTies(vector, sizesAfter(sets, changes, NEW)),
    revision: created?.revision ?? revised?.revision ?? own?.revision,
    history: revised?.history ?? own?.history,
    maxReplicas: vector.out.maxReplicas === undefined ? undefined : String(limits.atMost),
    complete: done,
    remove: changes.flatMap((change) => (change.do === "remove" ? [change.set] : [])),
  };
}

function withoutTies({ tie = [] }: PlanVector, sizes: { readonly [set: string]: number }) {
  const tied = Object.entries(sizes).filter(([name]) => tie.includes(name));
  const sum = tied.reduce((so, [, size]) => so + size, 0);
  return { ...sizes, ...Object.fromEntries(tied.map(([name]) => [name, sum])) };
}

function expected(vector: PlanVector) {
  const { current, replicas, revision, history, maxReplicas, complete = false, remove = [] } = vector.out;
  return {
    ...{ current, revision, history, maxReplicas, complete },
    replicas: withoutTies(vector, replicas),
    // A set whose size has just been written has yet to observe it: it goes in the next run.
    remove: remove
      .filter((name) => vector.sets.some((set) => set.name === name && set.replicas === 0))
      .toSorted(),
  };
}

describeWith(sharedMissing(ROLLOUTS))("random situations", () => {
  it("are planned as Cluster API plans them", () => {
    const vectors = planVectors();
    expect(vectors.length).toBe(1500);
    for (const vector of vectors) {
      const found = asVector(vector, plan(specOf(vector), setsOf(vector), vector.now * 1000));
      const { alternative } = vector.out;
      const wanted = expected(vector);
      const isAlternative =
        alternative !== undefined && JSON.stringify(found.replicas) !== JSON.stringify(wanted.replicas);
      expect({ ...found, remove: found.remove.toSorted() }, vector.id).toEqual({
        ...wanted,
        ...(isAlternative ? { replicas: alternative } : {}),
      });
    }
  });

  it("keep the least available, whichever part of a plan is written", () => {
    let looked = 0;
    for (const vector of planVectors()) {
      const sets = setsOf(vector);
      const { changes, limits } = plan(specOf(vector), sets, vector.now * 1000);
      const shrinking = changes.flatMap((change) =>
        change.do === "resize" && ["unavailable-first", "available"].includes(change.why) ? [change] : [],
      );
      const available = sets.reduce((sum, { status }) => sum + (status?.available ?? 0), 0);
      for (const part of subsetsOf(shrinking)) {
        const lost = part.reduce((sum, { set, to }) => sum + mostLost(sets, set, to), 0);
        expect(available - lost, `${vector.id} ${JSON.stringify(part)}`).toBeGreaterThanOrEqual(
          Math.min(limits.atLeast, available),
        );
        looked += 1;
      }
    }
    expect(looked).toBeGreaterThan(1000);
  });
});

/** Returns the available Machines that a set of this size may lose at most, if it deletes the worst possible ones. */
function mostLost(sets: readonly PlanSet[], name: string, to: number): number {
  const { replicas = 0, available = 0 } = sets.find((set) => set.name === name)?.status ?? {};
  return Math.min(Math.max(replicas - to, 0), available);
}

function subsetsOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return items.reduce<readonly (readonly T[])[]>(
    (subsets, item) => subsets.flatMap((subset) => [subset, [...subset, item]]),
    [[]],
  );
}

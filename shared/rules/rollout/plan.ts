import { chooseCurrent, type Roles } from "./current.ts";
import { limits } from "./limits.ts";
import { onDelete } from "./on-delete.ts";
import { paused } from "./paused.ts";
import type { Change, Plan, PlanSet, PlanSpec } from "./plan-types.ts";
import { historyOf, revisionOf } from "./revision.ts";
import { rollingUpdate } from "./rolling-update.ts";
import { countsOf, isResizable, plannedSize, type Sizes, sum } from "./sizes.ts";
import { waitsFor } from "./waits-for.ts";

/** The name of a set that is due, until it is made. */
const DUE = "";

/**
 * Returns what a rollout does next: the only place that decides. It starts from what is there, so it never waits for
 * itself; sets are believed, Machines are not looked at: a counter that lags makes it wait.
 * Source: core/reconcilers/machinedeployment/machinedeployment_rollout_planner.go and its siblings
 */
export function plan(spec: PlanSpec, sets: readonly PlanSet[], now: number): Plan {
  const roles = chooseCurrent(spec, sets, now);
  const bounds = limits(spec);
  const isDone = !spec.paused && hasAll(spec, sets);
  const sizes = sizesOf(spec, roles, now);
  const removed = isDone ? roles.old.filter(hasEnded) : [];
  const changes: readonly Change[] = [
    ...currentChanges(spec, roles, sizes),
    ...roles.old.flatMap((set) => resize(set, sizes)),
    ...removed.map((set): Change => ({ do: "remove", set: set.name, why: "done" })),
  ];
  return {
    current: roles.current?.name,
    limits: bounds,
    changes,
    done: isDone,
    // Counts of a former template may still look as if all were done.
    waitsFor: changes.length > 0 || (isDone && isEmpty(roles)) ? undefined : waitsFor(spec, roles),
    next: spec.after !== undefined && spec.after > now ? spec.after : undefined,
  };
}

/** Whether as many as wanted are there, available and up to date, and no others. */
function hasAll({ replicas }: PlanSpec, sets: readonly PlanSet[]): boolean {
  return (["replicas", "available", "upToDate"] as const).every(
    (count) => sum(sets, (set) => countsOf(set)[count]) === replicas,
  );
}

function isEmpty({ old }: Roles): boolean {
  return old.every(({ replicas }) => replicas === 0);
}

function sizesOf(spec: PlanSpec, { current, old }: Roles, now: number): Sizes {
  const bounds = limits(spec);
  if (spec.paused) return paused({ spec, current, old, limits: bounds });
  const due = { name: DUE, createdAt: now, deleting: false, replicas: 0, rollout: spec.rollout };
  const rolling = { current: current ?? due, old, replicas: spec.replicas, limits: bounds };
  return spec.strategy === "OnDelete" ? onDelete(rolling) : rollingUpdate(rolling);
}

function currentChanges(spec: PlanSpec, { current, old }: Roles, sizes: Sizes): readonly Change[] {
  const revision = revisionOf(current, old);
  if (current !== undefined) {
    const isRevised = current.revision !== revision;
    const revise: Change = { do: "revise", set: current.name, revision, history: historyOf(current) };
    return [...resize(current, sizes), ...(isRevised ? [revise] : [])];
  }
  const replicas = sizes.get(DUE)?.to ?? 0;
  return spec.paused ? [] : [{ do: "create", replicas, revision, why: "room" }];
}

function resize(set: PlanSet, sizes: Sizes): readonly Change[] {
  const to = plannedSize(set, sizes);
  const why = sizes.get(set.name)?.why;
  if (why === undefined || to === set.replicas || !isResizable(set)) return [];
  return [{ do: "resize", set: set.name, from: set.replicas, to, why }];
}

/** Whether an old set has ended: it lives, wants no Machine, has none, and its counts are about that wish. */
function hasEnded(set: PlanSet): boolean {
  return isResizable(set) && set.replicas === 0 && set.status?.observed === true && set.status.replicas === 0;
}

import { chooseCurrent, type Roles } from "./current.ts";
import { limits } from "./limits.ts";
import { onDelete } from "./on-delete.ts";
import { paused } from "./paused.ts";
import type { Change, Plan, PlanSet, PlanSpec, WaitsFor } from "./plan-types.ts";
import { rollingUpdate } from "./rolling-update.ts";
import { countsOf, isResizable, plannedSize, type Sizes, sum, totalOf } from "./sizes.ts";

/** The name of a set that is due, until it is made. */
const DUE = "";

const NUMBER = /^\d{1,15}$/;

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

/**
 * Returns what a rollout waits for that has nothing to do and is not done; `undefined` while rollouts are paused. Machines
 * that go hold it up when the current set is whole or the limit of all Machines is reached.
 */
function waitsFor(spec: PlanSpec, { current, old }: Roles): WaitsFor | undefined {
  if (spec.paused) return undefined;
  const sets = [...(current === undefined ? [] : [current]), ...old];
  const isWhole = current === undefined || countsOf(current).available >= current.replicas;
  const isGoing = sets.some((set) => set.deleting || countsOf(set).replicas > set.replicas);
  const isFull = (current?.replicas ?? 0) < spec.replicas && totalOf(sets) >= limits(spec).atMost;
  if (isGoing && (isWhole || isFull)) return "deletion";
  const isForUser = spec.strategy === "OnDelete" && sum(old, ({ replicas }) => replicas) > 0;
  return isForUser && isWhole ? "place" : "availability";
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

/**
 * Returns the revision of the current set, or of the one to be made: the number after the highest of the old sets, unless
 * its own is higher already. Differs: a revision that is not a number counts as 0; upstream fails on that of the current set.
 */
export function revisionOf(current: PlanSet | undefined, old: readonly PlanSet[]): string {
  const highest = old.reduce((so, set) => Math.max(so, numberOf(set)), 0);
  const own = current === undefined ? 0 : numberOf(current);
  return String(Math.max(own, highest + 1));
}

/** Returns the history of a set whose revision changes: its former revision is appended. */
export function historyOf({ revision, history }: PlanSet): string | undefined {
  return [history, revision].filter((part) => part !== undefined && part !== "").join(",") || undefined;
}

function numberOf({ revision }: PlanSet): number {
  return NUMBER.test(revision ?? "") ? Number(revision) : 0;
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

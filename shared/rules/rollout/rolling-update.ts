import { byAge, type Roles } from "./current.ts";
import type { Limits, PlanSet, Why } from "./plan-types.ts";
import { countsOf, isResizable, plannedSize, type Size, type Sizes, sum, totalOf } from "./sizes.ts";

/** A deployment with a current set, which may be one that is still to be made. */
export interface Rolling extends Roles {
  readonly current: PlanSet;
  readonly replicas: number;
  readonly limits: Limits;
}

/** Returns the sizes of a run of a rolling update. */
export function rollingUpdate(rolling: Rolling): Sizes {
  const { current } = rolling;
  const grown = growCurrent(rolling);
  const sizes: Sizes = new Map(grown === undefined ? [] : [[current.name, grown]]);
  const room = roomOf(rolling, sizes);
  const shrunk = shrinkOld(rolling, sizes, room);
  if (sizes.size > 0 || shrunk.size > 0) return new Map([...sizes, ...shrunk]);
  return unblock(rolling, room);
}

/** Returns the size of the current set: up as the limit of all Machines allows, down at once. */
export function growCurrent({ current, old, replicas, limits }: Rolling): Size | undefined {
  if (!isResizable(current) || current.replicas === replicas) return undefined;
  if (current.replicas > replicas) return { to: replicas, why: shrinkReason(replicas) };
  const room = Math.min(limits.atMost - totalOf([current, ...old]), replicas - current.replicas);
  return room > 0 ? { to: current.replicas + room, why: "room" } : undefined;
}

export function shrinkReason(replicas: number): Why {
  return replicas === 0 ? "no-longer-wanted" : "too-many";
}

/**
 * Returns how many Machines old sets may lose. Machines that go already, and those of the current set that are missing
 * or not available, are not counted on; what the current set gets in this run is not either.
 * Differs: no Machine of a set that is being deleted is counted on; upstream waits until it is gone or takes them for safe.
 */
function roomOf({ current, old, limits }: Rolling, sizes: Sizes): number {
  const staying = [current, ...old].filter(({ deleting }) => !deleting);
  const going = sum(staying, (set) =>
    Math.max(countsOf(set).replicas - Math.min(set.replicas, plannedSize(set, sizes)), 0),
  );
  const newMissing = Math.max(current.replicas - countsOf(current).available, 0);
  return sum(staying, ({ replicas }) => replicas) - going - limits.atLeast - newMissing;
}

/**
 * Returns the sizes of old sets: the oldest first, at first those without their available Machines, then all, as long as
 * enough Machines stay available when each set deletes the worst possible ones.
 */
export function shrinkOld({ current, old, replicas, limits }: Rolling, planned: Sizes, room: number): Sizes {
  const sizes = new Map<string, Size>();
  let left = room;
  let available = sum(
    [current, ...old].filter(({ deleting }) => !deleting),
    (set) => countsOf(set).available,
  );
  const takeFrom = (set: PlanSet, most: number, why: Why) => {
    const size = plannedSize(set, sizes);
    const wished = Math.min(most, size, left);
    if (wished <= 0) return;
    const { take, lost } = bounded(set, { size, wished, spare: available - limits.atLeast });
    available -= Math.min(countsOf(set).available, lost);
    if (take <= 0) return;
    sizes.set(set.name, { to: size - take, why: replicas === 0 ? shrinkReason(replicas) : why });
    left -= take;
  };
  const resizable = old.filter((set) => isResizable(set) && !planned.has(set.name));
  for (const set of resizable) takeFrom(set, set.replicas - countsOf(set).available, "unavailable-first");
  for (const set of resizable) takeFrom(set, set.replicas, "available");
  return sizes;
}

interface Wish {
  /** The size as planned so far. */
  readonly size: number;
  readonly wished: number;
  /** Available Machines of all sets above the least; negative where too few are. */
  readonly spare: number;
}

/** Returns how much of a wish one set may lose, and how many available Machines that may cost. */
function bounded(
  set: PlanSet,
  { size, wished, spare }: Wish,
): { readonly take: number; readonly lost: number } {
  const { replicas: machines, available } = countsOf(set);
  if (available === 0) return { take: wished, lost: 0 };
  const lost = Math.max(machines - (size - wished), 0);
  if (lost <= Math.max(spare, 0)) return { take: wished, lost };
  const target = Math.min(machines - Math.max(spare, 0), size);
  return { take: Math.max(size - target, 0), lost: Math.max(machines - target, 0) };
}

/**
 * Returns the way out when everything rests and old Machines that are not available hold the limits: one of them goes,
 * although fewer than the least may be available. Without it one broken old Machine would stop a rollout for ever.
 */
export function unblock({ current, old }: Rolling, room: number): Sizes {
  const rests = [current, ...old].every((set) => set.replicas === countsOf(set).replicas);
  const { replicas, available } = countsOf(current);
  if (!rests || replicas !== available) return new Map();
  const order = room > 0 ? byAge : (a: PlanSet, b: PlanSet) => b.replicas - a.replicas || byAge(a, b);
  const broken = old
    .toSorted(order)
    .find((set) => isResizable(set) && set.replicas > 0 && countsOf(set).available < countsOf(set).replicas);
  return broken === undefined
    ? new Map()
    : new Map([[broken.name, { to: broken.replicas - 1, why: "unblock" }]]);
}

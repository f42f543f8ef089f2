import { MAX_RESERVED } from "./reservation.ts";

/** Everything that decides which Machines are made now. Machines were read live after their owner. */
export interface Making {
  readonly replicas: number;
  /** Names of the Machines that the owner has, those that are being deleted too. */
  readonly machines: readonly string[];
  readonly reserved: readonly string[];
  /** Reserved names under which another owner has a Machine. */
  readonly taken: ReadonlySet<string>;
  /** A Machine has both objects from the current templates: the provider accepts what they make. */
  readonly isProven: boolean;
  /** A Machine of the current templates waits for one of its objects. */
  readonly isWaiting: boolean;
}

/** Machines to make now, and the new reservation. */
export interface Plan {
  readonly create: readonly string[];
  /** The reserved names that stay reserved. */
  readonly reserved: readonly string[];
  /** The number of names that must be reserved in addition before anything is made. */
  readonly missing: number;
}

/**
 * Decides which of the reserved Machines are made. Reserved names count as Machines. A name is dropped when another owner
 * has it, or when enough Machines exist without it. All other names stay reserved until each of them was made.
 *
 * First alone: until the provider has accepted both objects of one Machine, one is made, so that templates that are
 * refused cost one Machine.
 */
export function planMachines({ replicas, machines, reserved, taken, isProven, isWaiting }: Making): Plan {
  const made = new Set(machines);
  const room = Math.max(0, replicas - machines.length);
  const unmade = reserved.filter((name) => !made.has(name) && !taken.has(name)).slice(0, room);
  const missing = Math.min(room - unmade.length, MAX_RESERVED - unmade.length);
  if (missing > 0) return { create: [], reserved: unmade, missing };
  const isComplete = unmade.length === 0;
  return {
    create: isWaiting ? [] : unmade.slice(0, isProven ? undefined : 1),
    reserved: isComplete ? [] : reserved.filter((name) => made.has(name) || unmade.includes(name)),
    missing: 0,
  };
}

import type { User } from "../play/user.ts";

/** Actions of users, and their waits in between. One file per workload. */
export interface Workload {
  /** `W-01`. */
  readonly number: string;
  readonly title: string;
  /** Who is faster decides how much is created and deleted on the way: a detour is not a violation. */
  readonly isRace?: true;
  /** How users ask for another number of replicas; default: on the MachinePool. */
  readonly scale?: (user: User, replicas: number) => Promise<void>;
  /** The workload has no MachinePool that users could continue to scale. */
  readonly hasNoPool?: true;
  /** Two relays of which one leads (`--leader-elect`); default: one that needs no lease. */
  readonly relays?: "elected";
  run(user: User): Promise<void>;
}

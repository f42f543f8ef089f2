import type { Machine } from "../../api/machine/machine.ts";

/** The parts of a template that make a rollout; everything else goes to the Machines in place. */
export type RolloutFields = Pick<
  Machine["spec"],
  "version" | "bootstrap" | "infrastructureRef" | "failureDomain"
>;

/** The wish of a MachineDeployment. Instants are epoch milliseconds. */
export interface PlanSpec {
  readonly replicas: number;
  readonly strategy: "RollingUpdate" | "OnDelete";
  /** `spec.paused`: rollouts are paused, the object is not. */
  readonly paused: boolean;
  /** A number, or a percentage of `replicas`. Default 1. */
  readonly maxSurge?: number | string | undefined;
  /** A number, or a percentage of `replicas`. Default 0. */
  readonly maxUnavailable?: number | string | undefined;
  /** `spec.rollout.after` */
  readonly after?: number | undefined;
  readonly rollout: RolloutFields;
}

/** A MachineSet of the deployment. Instants are epoch milliseconds. */
export interface PlanSet {
  readonly name: string;
  readonly createdAt: number;
  readonly deleting: boolean;
  /** The `rollout.after` that the set was made for. */
  readonly bornFor?: number | undefined;
  /** Its size. */
  readonly replicas: number;
  readonly rollout: RolloutFields;
  /** Its Machines as it counts them; while it has yet to count, there are none. */
  readonly status?: SetCounts | undefined;
  readonly revision?: string | undefined;
  readonly history?: string | undefined;
  /** The annotation `desired-replicas`. */
  readonly desired?: string | undefined;
  /** Its Machines are moved to another set by Cluster API: its size stays as it is. */
  readonly held?: boolean | undefined;
}

export interface SetCounts {
  /** Its Machines, those that are being deleted too. */
  readonly replicas: number;
  readonly available: number;
  readonly upToDate: number;
  /** The counts are about the present spec of the set. */
  readonly observed: boolean;
}

/** Why a size changes. */
export type Why =
  /** The current set grows: the total is below its limit. */
  | "room"
  /** A set shrinks: there are more than wanted. */
  | "too-many"
  /** A set shrinks: none is wanted. */
  | "no-longer-wanted"
  /** An old set shrinks by Machines that are not available. */
  | "unavailable-first"
  /** An old set shrinks: enough are available without it. */
  | "available"
  /** An old set loses a Machine that is not available and would stop the rollout for ever. */
  | "unblock"
  /** OnDelete: an old set follows its Machines that are gone. */
  | "gone"
  /** Paused: the only set in use follows the wish. */
  | "paused-one"
  /** Paused: the largest of several sets takes the whole difference. */
  | "paused-spread"
  /** Paused: the current set has all that is wanted, so the others end. */
  | "saturated";

export type Change =
  | { readonly do: "create"; readonly replicas: number; readonly revision: string; readonly why: Why }
  | {
      readonly do: "resize";
      readonly set: string;
      readonly from: number;
      readonly to: number;
      readonly why: Why;
    }
  | {
      readonly do: "revise";
      readonly set: string;
      readonly revision: string;
      readonly history?: string | undefined;
    }
  | { readonly do: "remove"; readonly set: string; readonly why: "done" };

/** Bounds of a rollout, in Machines. */
export interface Limits {
  readonly surge: number;
  readonly unavailable: number;
  /** Available Machines that a rollout keeps. */
  readonly atLeast: number;
  /** Machines that a rollout does not exceed. */
  readonly atMost: number;
}

/** Events that a rollout waits for: Machines that become available, Machines that go, or a Machine that a person deletes. */
export type WaitsFor = "availability" | "deletion" | "place";

export interface Plan {
  /** The set with the template of the deployment. Absent: one is due, or the deployment is paused without one. */
  readonly current?: string | undefined;
  readonly limits: Limits;
  /** Current set first, then old ones, the oldest first. Any subset of them is safe. */
  readonly changes: readonly Change[];
  /** All that are wanted are there, available and up to date, and no others. */
  readonly done: boolean;
  /** Why there is nothing to do, although it is not done, or not by the sizes of old sets. */
  readonly waitsFor?: WaitsFor | undefined;
  /** `rollout.after` when it is still to come. */
  readonly next?: number | undefined;
}

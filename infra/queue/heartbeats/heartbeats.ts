import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";

/** A process of Capstan that is alive, as it says itself: `/status` without what is in snapshots and samples. */
export interface Heartbeat {
  /** Host name, process id and a random part: another one after every start. */
  readonly id: string;
  /** `relay`, `worker`, … */
  readonly roles: readonly string[];
  readonly version: string;
  readonly ready: boolean;
  /** Why it is not ready, one line each. */
  readonly reasons: readonly string[];
  readonly functions: readonly string[];
  /** Runs in progress; absent without a worker. */
  readonly running?: number | undefined;
  /** The watches of the management cluster; absent without a relay, and where they are too many for a beat. */
  readonly watches?: readonly LoopStatus[] | undefined;
  /** Who leads, as this relay knows; absent where relays do not elect. */
  readonly leader?: string | undefined;
  /** The Lease of this relay, where relays share the workload clusters. */
  readonly shard?: string | undefined;
}

export interface LivingProcess extends Heartbeat {
  /** The time by the clock of Redis. */
  readonly seenAt: Date;
}

export interface Heartbeats extends AsyncDisposable {
  beat(heartbeat: Heartbeat): Promise<void>;
  /** Forgets a process that ends. */
  end(id: string): Promise<void>;
  /** Returns those whose last beat is at most 30 s old, by id, at most 200. */
  processes(): Promise<readonly LivingProcess[]>;
}

import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { World } from "../play/world.ts";

/** A change of the management server, as it was stored. */
export interface StoredChange {
  /** `cluster.x-k8s.io/machinepools`. */
  readonly type: string;
  readonly before: KubeObject | undefined;
  /** Undefined: deleted. */
  readonly after: KubeObject | undefined;
}

export interface Watched {
  readonly world: World;
  /** Calls back for every stored change of the management server, in order. */
  onChange(observer: (change: StoredChange) => void): void;
  /** Calls back in the end, when everything has had its time to come to rest. */
  onRest(observer: () => void | Promise<void>): void;
  /** Something that must never happen has happened. */
  violated(what: string): void;
  /** There was something to check: the antecedent of the row was true. */
  evaluated(): void;
  /** Faults that have struck so far. */
  faultsSoFar(): number;
}

/** Events that must be played for an oracle to have something to check. */
export interface Needs {
  /** Any of these workloads is enough; absent: every one. */
  readonly workloads?: readonly string[];
  /** Any of these classes of faults is enough; absent: none is needed. */
  readonly faults?: readonly string[];
  readonly why: string;
}

/** One continuous check. */
export interface Oracle {
  /** The rule that it judges: `F-18`. */
  readonly number: string;
  readonly title: string;
  /** Absent: any workload without faults gives it something to check. */
  readonly needs?: Needs;
  watch(watched: Watched): void;
}

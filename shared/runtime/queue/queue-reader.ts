import type { Key } from "./key.ts";
import type { KeyState, QueueDepth, TenantDepth } from "./queue-state.ts";
import type { RunCounts } from "./run-counts.ts";

/** Looks at a queue. No call writes, moves time on or creates anything. */
export interface QueueReader {
  /** Reads as `Queue.depth` does, with the counts of runs and without tenants: there may be 10,000 of them. */
  peek(functionName: string): Promise<QueuePeek>;
  /**
   * The tenants with the most keys that are not idle, most first, equal ones by name; `limit` is 1 to 200. Only those of
   * `namespaces`, where they are given.
   */
  topTenants(
    functionName: string,
    limit: number,
    namespaces?: ReadonlySet<string>,
  ): Promise<readonly TenantRow[]>;
  /** The keys of all tenants of these namespaces, as `peek` counts those of all. */
  countsIn(functionName: string, namespaces: ReadonlySet<string>): Promise<TenantDepth>;
  /** A page of the keys in one state. Throws a TypeError for a limit or a cursor that no page gave out. */
  keys(functionName: string, selection: KeySelection): Promise<KeyPage>;
  /** Returns where one key stands; undefined = idle: no run is due until an event. */
  keyState(functionName: string, key: Key): Promise<KeyState | undefined>;
}

export interface QueuePeek extends Omit<QueueDepth, "tenants"> {
  readonly counts: RunCounts;
}

export interface TenantRow extends TenantDepth {
  readonly tenant: string;
}

export interface KeySelection {
  readonly state: KeyState["state"];
  /**
   * Only keys of this tenant, the part of a key before its first `|`. A page looks at some 1,000 keys, so it may be
   * short, or empty, and still have a `next`.
   */
  readonly tenant?: string | undefined;
  /** 1 to 200. */
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/**
 * The keys that move first come first: waiting keys by due, ready keys by priority and age, running keys by the end of their
 * leases, dead keys by their next attempt. A key that moves between two pages may be on none of them, or on both.
 */
export interface KeyPage {
  readonly items: readonly KeyRow[];
  /** The cursor of the next page, opaque; absent on the last one. */
  readonly next?: string | undefined;
}

export interface KeyRow extends KeyState {
  readonly key: Key;
}

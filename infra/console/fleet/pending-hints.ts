import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import { MANAGEMENT, workloadCluster } from "../../../shared/api/kinds.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import type { Hint } from "../../../shared/runtime/queue/hints.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";

/** Clusters and keys that hints have named since the last call. */
export interface Pending {
  /** Clusters whose own snapshots have changed. */
  readonly clusters: ReadonlySet<string>;
  readonly keys: readonly { readonly function: string; readonly key: Key }[];
  /** More keys have moved than are worth naming: the queues must be read. */
  readonly isBusy: boolean;
  /** Hints may be missing, or too many Clusters have changed: everything must be read. */
  readonly isGap: boolean;
}

export interface PendingHints {
  note(hints: readonly Hint[]): void;
  gap(): void;
  take(): Pending;
}

/** More of them are named as a whole. */
const MAX_PENDING = 1_000;

/** Gathers hints; the same Cluster or key is named once. */
export function createPendingHints(): PendingHints {
  let clusters = new Set<string>();
  let keys = new Map<string, { readonly function: string; readonly key: Key }>();
  let isBusy = false;
  let isGap = false;
  const add = (hint: Hint): void => {
    if (hint.of === "keys") {
      for (const key of hint.keys) keys.set(`${hint.function} ${key}`, { function: hint.function, key });
    } else if (hint.of === "snapshot" && isOfCluster(hint.type)) clusters.add(workloadCluster(hint.key));
  };
  return {
    note: (hints) => {
      for (const hint of hints) add(hint);
      if (keys.size > MAX_PENDING) [keys, isBusy] = [new Map(), true];
      if (clusters.size > MAX_PENDING) [clusters, isGap] = [new Set(), true];
    },
    gap: () => {
      isGap = true;
    },
    take: () => {
      const taken = { clusters, keys: [...keys.values()], isBusy, isGap };
      [clusters, keys, isBusy, isGap] = [new Set(), new Map(), false, false];
      return taken;
    },
  };
}

function isOfCluster({ cluster, group, kind }: TypeKey): boolean {
  return (
    cluster === MANAGEMENT && [Cluster, Connection].some((one) => one.group === group && one.kind === kind)
  );
}

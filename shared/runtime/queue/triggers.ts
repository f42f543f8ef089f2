import { Connection } from "../../api/core.ts";
import { type ClusterName, type Kind, type KubeObject, objectKeyOf, titleOf } from "../../api/kinds.ts";
import { isAtLeast } from "../resource-version.ts";
import type { Cause, Fence } from "./queue-port.ts";

/**
 * Snapshots are older than the changes that have woken the run: the read model has gone back since. The run
 * comes back soon.
 */
export class BehindTriggerError extends Error {
  /** Wait of the next run. */
  readonly fences: readonly Fence[];

  constructor(fences: readonly Fence[]) {
    const reported = fences.map(
      ({ kind, name, resourceVersion }) => `${kind} ${name} is older than ${resourceVersion}`,
    );
    super(`the snapshot of ${reported.join(", of ")}, which was delivered`);
    this.name = "BehindTriggerError";
    this.fences = fences;
  }
}

/**
 * Throws BehindTriggerError for snapshots that are older than the newest of their causes. Normally none is: a
 * change is stored before it is delivered. But a second relay that lags may list, and store an earlier version.
 */
export function triggersOf(causes: readonly Cause[]) {
  return (cluster: ClusterName, { group, kind }: Kind, snapshots: readonly KubeObject[]): void => {
    // Its versions are instants, of the clock of whichever relay has published it.
    if (kind === Connection.kind && group === Connection.group) return;
    const newest = newestOf(causes.filter(({ what }) => what.startsWith(`${kind} `)));
    // A list may be long, and mostly something else has woken the run.
    if (newest.size === 0) return;
    const fences = snapshots.flatMap((snapshot): readonly Fence[] => {
      const resourceVersion = newest.get(titleOf(kind, snapshot.metadata));
      if (resourceVersion === undefined || isAtLeast(snapshot.metadata.resourceVersion, resourceVersion))
        return [];
      return [{ cluster, group, kind, ...objectKeyOf(snapshot), resourceVersion }];
    });
    if (fences.length > 0) throw new BehindTriggerError(fences);
  };
}

/** Returns for each object the newest version that a cause names. */
function newestOf(causes: readonly Cause[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { what, resourceVersion } of causes) {
    if (resourceVersion !== undefined && !isAtLeast(newest.get(what), resourceVersion))
      newest.set(what, resourceVersion);
  }
  return newest;
}

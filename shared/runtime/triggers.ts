import { Connection } from "../api/core.ts";
import { type ClusterName, type Kind, type KubeObject, objectKeyOf } from "../api/kinds.ts";
import type { Cause, Fence } from "./queue-port.ts";
import { isAtLeast } from "./resource-version.ts";

/** A snapshot is older than the change that has woken the run: the read model has gone back since. The run comes back soon. */
export class BehindTriggerError extends Error {
  /** What the next run waits for. */
  readonly fence: Fence;

  constructor(fence: Fence) {
    super(
      `the snapshot of ${fence.kind} ${fence.name} is older than ${fence.resourceVersion}, which was told`,
    );
    this.name = "BehindTriggerError";
    this.fence = fence;
  }
}

/**
 * Throws BehindTriggerError for a snapshot that is older than one of the causes (F-05). Normally none is: a change is
 * stored before it is told. But a second relay that lags may list, and store what was before (X-07).
 */
export type DemandTriggers = (cluster: ClusterName, kind: Kind, snapshots: readonly KubeObject[]) => void;

export function triggersOf(causes: readonly Cause[]): DemandTriggers {
  return (cluster, { group, kind }, snapshots) => {
    // Its versions are instants, of the clock of whichever relay has published it.
    if (kind === Connection.kind && group === Connection.group) return;
    for (const snapshot of snapshots) {
      const { metadata } = snapshot;
      const what = causeText(kind, snapshot);
      for (const { resourceVersion } of causes.filter((cause) => cause.what === what)) {
        if (resourceVersion === undefined || isAtLeast(metadata.resourceVersion, resourceVersion)) continue;
        throw new BehindTriggerError({ cluster, group, kind, ...objectKeyOf(snapshot), resourceVersion });
      }
    }
  };
}

/** `MachinePool default/p1`, `Node n1`: how a cause names the object that has changed. */
export function causeText(kind: string, { metadata: { namespace = "", name } }: KubeObject): string {
  return `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
}

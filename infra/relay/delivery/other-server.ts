import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { TypeProgress } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { serverVersionOf } from "../snapshot.ts";

interface Known {
  readonly stored: readonly KubeObject[];
  readonly progress: TypeProgress;
}

interface Arriving {
  readonly snapshots: readonly KubeObject[];
  /** The version of the list. */
  readonly reached: string;
  readonly scope: string | undefined;
}

/**
 * Says whether a list is of another server than the stored objects (another uid in its scope), of a lower version, or
 * has an object in a version below the stored one, which it must have had: then the server was restored (KR-12).
 */
export function isOtherServer({ stored, progress }: Known, { snapshots, reached, scope }: Arriving): boolean {
  if (scope !== undefined && progress.scope !== undefined && scope !== progress.scope) return true;
  if (isBelow(reached, progress.resourceVersion)) return true;
  const before = new Map(stored.map((object) => [nameOf(object), object]));
  return snapshots.some((after) => {
    const known = before.get(nameOf(after));
    if (known === undefined || known.metadata.uid !== after.metadata.uid) return false;
    const version = serverVersionOf(known);
    return isAtLeast(reached, version) && isBelow(serverVersionOf(after), version);
  });
}

/** Returns `namespace/name`: which object of its type it is. */
export function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function isBelow(version: string, known: string | undefined): boolean {
  return known !== undefined && known !== version && isAtLeast(known, version);
}

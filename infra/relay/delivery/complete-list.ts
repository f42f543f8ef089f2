import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Store, TypeKey, TypeProgress } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { removalVersion, serverVersionOf } from "../snapshot.ts";
import { type Announcer, nameOf, type Urgency } from "./announcer.ts";
import type { HandedOn } from "./handed-on.ts";

export interface CompleteList {
  readonly resourceVersion: string;
  readonly urgency: Urgency;
  /** Whoever resumes needs the same (scope.ts); absent = nobody does. */
  readonly scope?: string | undefined;
  /** The server is known to have been restored or replaced, whatever is stored. */
  readonly restored?: boolean | undefined;
  /** Awaited before anything of the list is told, when the server was restored or replaced since the list before (KR-12). */
  readonly ifRestored?: (() => Promise<void>) | undefined;
}

export interface ReplaceOptions {
  readonly store: Store;
  readonly announce: Announcer["announce"];
  readonly handedOn: HandedOn;
  readonly persist: <T>(work: () => Promise<T>) => Promise<T>;
  readonly put: (type: TypeKey, snapshot: KubeObject, urgency: Urgency) => Promise<void>;
  readonly remove: (type: TypeKey, object: KubeObject, resourceVersion: string) => Promise<boolean>;
}

/** True: the server was restored or replaced since the list before (KR-12). */
type Replace = (type: TypeKey, snapshots: readonly KubeObject[], list: CompleteList) => Promise<boolean>;

const PARALLEL_PUTS = 50;

/**
 * Delivers the difference between a complete list and what is stored. Where what is stored is damaged or of another
 * server, everything is stored anew: its versions mean nothing any more, but it still is what was told.
 */
export function createReplace({ store, announce, handedOn, persist, put, remove }: ReplaceOptions): Replace {
  const startOver = async (
    type: TypeKey,
    stored: readonly KubeObject[],
    snapshots: readonly KubeObject[],
  ) => {
    const before = new Map(stored.map((object) => [nameOf(object), object]));
    do {
      await persist(() => store.drop(type));
      // A store that goes back from here on has not been told that a list begins, and does not believe in its end.
      await persist(() => store.advance(type, { ready: false }));
    } while ((await persist(() => store.list(type, {}))).length > 0);
    handedOn.forget(type);
    await each(snapshots, async (after) => {
      await persist(() => store.put(type, after));
      await announce(type, { before: before.get(nameOf(after)), after }, "resync");
    });
  };

  return async (type, snapshots, { resourceVersion, urgency, scope, restored = false, ifRestored }) => {
    const reached = removalVersion(type.kind, resourceVersion);
    const stored = await persist(() => store.list(type, {}));
    const progress = await persist(() => store.progress(type));
    const isOther =
      restored || (progress.ready && isOtherServer({ stored, progress }, { snapshots, reached, scope }));
    if (isOther) await ifRestored?.();
    const isVoid = !progress.ready || isOther;
    if (isVoid) await startOver(type, stored, snapshots);
    else await each(snapshots, (snapshot) => put(type, snapshot, urgency));
    const listed = new Set(snapshots.map(nameOf));
    for (const object of stored) {
      if (listed.has(nameOf(object))) continue;
      if (isVoid) await announce(type, { before: object }, "live");
      else await remove(type, object, reached);
    }
    const progressed = { ready: true, resourceVersion: reached };
    await handedOn.advance(type, scope === undefined ? progressed : { ...progressed, scope });
    return isOther;
  };
}

async function each(
  snapshots: readonly KubeObject[],
  deliver: (snapshot: KubeObject) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < snapshots.length; at += PARALLEL_PUTS) {
    await Promise.all(snapshots.slice(at, at + PARALLEL_PUTS).map(deliver));
  }
}

interface Known {
  readonly stored: readonly KubeObject[];
  readonly progress: TypeProgress;
}

interface Arriving {
  readonly snapshots: readonly KubeObject[];
  readonly reached: string;
  readonly scope: string | undefined;
}

/**
 * Whether a list is of another server than what is stored (another uid in its scope), of a lower version, or has an
 * object in a version below the stored one, which it must have had: then the server was restored (KR-12).
 */
function isOtherServer({ stored, progress }: Known, { snapshots, reached, scope }: Arriving): boolean {
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

function isBelow(version: string, known: string | undefined): boolean {
  return known !== undefined && known !== version && isAtLeast(known, version);
}

import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Log, Store, TypeKey, TypeProgress } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { untilAccepted } from "../retry.ts";

/**
 * How far every type has been handed on: stored, and functions notified (KR-14). The store learns it at most 100
 * changes or 1 s later: a relay that was killed hands these changes on again.
 */
export interface HandedOn {
  /** Notes that changes of a type have been handed on. Waits for the store only when a write is due. */
  note(type: TypeKey, resourceVersion: string, changes: number): Promise<void>;
  /** Writes to the store now. */
  advance(type: TypeKey, progress: Partial<TypeProgress>): Promise<void>;
  /** Returns whether the store has lost its newest writes. */
  isAhead(type: TypeKey, stored: string | undefined): boolean;
  forget(type: TypeKey): void;
  /** Writes all versions that the store does not know yet. */
  flush(): Promise<void>;
}

interface HandedOnOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

interface OneType {
  readonly type: TypeKey;
  resourceVersion: string | undefined;
  /** The version of the last write to the store. */
  written: string | undefined;
  /** Changes since then. */
  changes: number;
  cancel: () => void;
}

const MAX_LAG_CHANGES = 100;
const MAX_LAG_MS = SECOND;

export function createHandedOn(options: HandedOnOptions): HandedOn {
  const { store, clock } = options;
  const types = new Map<string, OneType>();
  const of = (type: TypeKey): OneType => {
    const text = typeText(type);
    const known = types.get(text);
    if (known !== undefined) return known;
    const one = { type, resourceVersion: undefined, written: undefined, changes: 0, cancel: () => undefined };
    types.set(text, one);
    return one;
  };
  const write = async (one: OneType, progress: Partial<TypeProgress>) => {
    one.cancel();
    one.changes = 0;
    const resourceVersion = newer(one.resourceVersion, progress.resourceVersion);
    one.resourceVersion = resourceVersion;
    await untilAccepted(
      () =>
        store.advance(one.type, {
          ...progress,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
        }),
      options,
    );
    one.written = newer(one.written, resourceVersion);
  };

  return {
    async note(type, resourceVersion, changes) {
      const one = of(type);
      one.resourceVersion = newer(one.resourceVersion, resourceVersion);
      const isFirst = one.changes === 0;
      one.changes += changes;
      if (one.changes >= MAX_LAG_CHANGES) return write(one, {});
      // The first change since the last write starts the clock. A write that fails at the end is done by the next
      // relay.
      if (isFirst) one.cancel = clock.after(MAX_LAG_MS, () => void write(one, {}).catch(() => undefined));
    },
    advance: (type, progress) => write(of(type), progress),
    isAhead(type, stored) {
      const written = types.get(typeText(type))?.written;
      return written !== undefined && !isAtLeast(stored, written);
    },
    forget(type) {
      types.get(typeText(type))?.cancel();
      types.delete(typeText(type));
    },
    async flush() {
      const behind = [...types.values()].filter(({ changes }) => changes > 0);
      await Promise.all(behind.map((one) => write(one, {})));
    },
  };
}

export function typeText({ cluster, group, kind }: TypeKey): string {
  return JSON.stringify([cluster, group, kind]);
}

/** Returns the newer version; a version that cannot be compared is not newer. */
function newer(known: string | undefined, arriving: string | undefined): string | undefined {
  return arriving === undefined || isAtLeast(known, arriving) ? known : arriving;
}

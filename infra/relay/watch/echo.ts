import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";

/** Checks that a watch shows the writes of this process (KR-07). At most one timer. */
export interface Echo {
  /** A write has been answered with this version. */
  wrote(resourceVersion: string): void;
  stop(): void;
}

interface EchoOptions {
  readonly clock: Clock;
  /** Returns the version up to which the watch has shown everything; undefined while it does not watch. */
  readonly seen: () => string | undefined;
  readonly onMissing: () => void;
}

/** A watch is seconds behind at most. */
const ECHO_MS = 30 * SECOND;

export function createEcho({ clock, seen, onMissing }: EchoOptions): Echo {
  let awaited: string | undefined;
  let cancel: () => void = () => undefined;
  const look = (): void => {
    const [version, known] = [awaited, seen()];
    awaited = undefined;
    if (version !== undefined && known !== undefined && !isAtLeast(known, version)) onMissing();
  };
  return {
    wrote(resourceVersion) {
      // The oldest write is awaited first; the next write after it.
      if (awaited !== undefined) return;
      awaited = resourceVersion;
      cancel = clock.after(ECHO_MS, look);
    },
    stop() {
      cancel();
      awaited = undefined;
    },
  };
}

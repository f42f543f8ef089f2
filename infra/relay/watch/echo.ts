import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";

/** Whether a watch shows what was written by this process. At most one timer. */
export interface Echo {
  /** A write has been answered with this version. */
  wrote(resourceVersion: string): void;
  stop(): void;
}

interface EchoOptions {
  readonly clock: Clock;
  /** The version up to which the watch has told everything; undefined while it does not watch. */
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
      // The oldest is looked for first; the next write is awaited after it.
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

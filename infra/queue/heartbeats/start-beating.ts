import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { Heartbeat, Heartbeats } from "./heartbeats.ts";

const EVERY_MS = 10 * SECOND;

interface BeatingOptions {
  readonly heartbeats: Heartbeats;
  /** Looks at the process as it is now. */
  readonly look: () => Heartbeat;
  readonly clock: Clock;
  readonly log: Log;
}

/** Lets the process beat at once and every 10 s; its end is noted when this is disposed. */
export function startBeating({ heartbeats, look, clock, log }: BeatingOptions): AsyncDisposable {
  let cancel = (): void => undefined;
  let closed = false;
  const beat = async (): Promise<void> => {
    await heartbeats.beat(look()).catch((error: unknown) => {
      log.debug({ error: String(error) }, "this process could not say that it is alive");
    });
    if (closed) return;
    cancel = clock.after(EVERY_MS, () => {
      underWay = beat();
    });
  };
  let underWay: Promise<void> = beat();
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      cancel();
      await underWay;
      await heartbeats.end(look().id).catch(() => undefined);
    },
  };
}

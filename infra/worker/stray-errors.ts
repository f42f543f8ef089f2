import { AsyncLocalStorage } from "node:async_hooks";
import { maskText } from "../../shared/redaction/redact.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import type { Lease, Outcome } from "../../shared/runtime/queue/queue-port.ts";

/** Called with an error that was thrown outside of every run; without a name when it belongs to none. */
export type NoteStrayError = (functionName?: string) => void;

interface Origin {
  readonly functionName: string;
  readonly lease: Lease;
  ended: boolean;
}

/** The run that has started what happens now: a timer, or a promise that is not awaited. */
const origins = new AsyncLocalStorage<Origin>();

/** Runs a step so that what it leaves behind is known as its own. */
export function asOriginOfErrors(
  functionName: string,
  lease: Lease,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const origin: Origin = { functionName, lease, ended: false };
  return origins.run(origin, run).finally(() => {
    origin.ended = true;
  });
}

/**
 * Keeps this process alive when something throws that no code can catch, until it is disposed. The run that has started
 * it fails; what belongs to no run is logged. Both are counted. Once per process: several workers of one process would
 * count an error several times.
 */
export function catchStrayErrors(log: Log, note: NoteStrayError = () => undefined): Disposable {
  const handle = (error: unknown): void => {
    const origin = origins.getStore();
    note(origin?.functionName);
    if (origin === undefined) {
      log.error({ error: asError(error) }, "bug: an error that no run has thrown; this process continues");
      return;
    }
    const { functionName, lease, ended } = origin;
    const { key, runId } = lease;
    if (!ended) lease.fail?.(error);
    log.error(
      { function: functionName, key, run: runId, error: asError(error) },
      ended
        ? "bug: the step left something behind that throws after its end: await all that it starts"
        : "bug: the step has started something that throws: the key fails; await all that it starts",
    );
  };
  process.on("uncaughtException", handle);
  process.on("unhandledRejection", handle);
  return {
    [Symbol.dispose]: () => {
      process.off("uncaughtException", handle);
      process.off("unhandledRejection", handle);
    },
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(maskText(String(thrown)));
}

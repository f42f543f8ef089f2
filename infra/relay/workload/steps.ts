import type { Log } from "../../../shared/runtime/ports.ts";

/** Runs the steps of one connection one after the other. Steps that are posted after the end are dropped. */
export interface Steps extends AsyncDisposable {
  post(step: () => Promise<void>): void;
}

export function createSteps(
  name: string,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Steps {
  let tail: Promise<void> = Promise.resolve();
  let closed: boolean = false;
  return {
    post(step) {
      tail = tail
        .then(() => (closed ? undefined : step()))
        .catch((error: unknown) => {
          if (signal.aborted) return;
          log.error({ cluster: name, error: String(error) }, "bug: a connection step failed");
        });
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await tail;
    },
  };
}

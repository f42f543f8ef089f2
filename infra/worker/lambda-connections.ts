import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock } from "../../shared/runtime/ports.ts";

/**
 * Servers forget the connections of a frozen process, and so does what lies between: an API server after 90 s, NAT
 * gateways and load balancers after minutes. The process learns of it by an error or, worse, by silence.
 */
const MAX_REST_MS = 30 * SECOND;

/** The use of connections by one event, until it is disposed. */
interface ConnectionUse<C> extends Disposable {
  /** Opens them unless they are open, once: where that fails, it fails for every message of the event. */
  connected(): Promise<C>;
  /**
   * Opens others in the place of connections that have failed: they may have broken while the process was frozen.
   * Resolves with `undefined` when this event has opened them itself.
   */
  instead(failed: C): Promise<C | undefined>;
}

interface KeptConnections<C> extends AsyncDisposable {
  begin(): ConnectionUse<C>;
}

/** Keeps connections between events, and replaces those that have rested for longer than 30 s. */
export function keepConnections<C extends AsyncDisposable>(
  connect: () => Promise<C>,
  clock: Clock,
): KeptConnections<C> {
  let kept: Promise<C> | undefined;
  let lastUsedMs = 0;
  let users = 0;
  /** Closes also what is only being opened. An event does not wait for it: a broken connection takes its time. */
  const close = async (): Promise<void> => {
    const old = kept;
    kept = undefined;
    await old?.then((open) => open[Symbol.asyncDispose]()).catch(() => undefined);
  };
  const open = (): Promise<C> => {
    const opened = connect();
    kept = opened;
    opened.catch(() => {
      if (kept === opened) kept = undefined;
    });
    return opened;
  };
  return {
    begin() {
      const restedMs = clock.now().getTime() - lastUsedMs;
      // A clock that went back says nothing about the length of the rest.
      if (users === 0 && (restedMs < 0 || restedMs > MAX_REST_MS)) void close();
      users += 1;
      const rested = kept;
      let own: Promise<C> | undefined;
      return {
        connected() {
          own ??= kept ?? open();
          return own;
        },
        async instead(failed) {
          if (own === rested) {
            if (kept === rested) void close();
            own = open();
          }
          const other = await own;
          return other === failed ? undefined : other;
        },
        [Symbol.dispose]() {
          users -= 1;
          lastUsedMs = clock.now().getTime();
        },
      };
    },
    [Symbol.asyncDispose]: close,
  };
}

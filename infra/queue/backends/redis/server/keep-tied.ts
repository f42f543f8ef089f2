import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import type { RedisTie } from "./owner.ts";

/** The period: as often as a relay looks whether data are lost. */
const RENEW_EVERY_MS = 5 * SECOND;

/** Disposing ends the renewals. */
export interface KeptTie extends AsyncDisposable {
  /** Rejects once the Redis belongs to another management cluster: no part of this process may use it then. */
  readonly lost: Promise<never>;
}

/**
 * Renews a tie every 5 s, so that a Redis that was emptied under running processes has its owner again before another
 * cluster comes. While the Redis is away, its connection says so.
 */
export function keepTied(tie: Pick<RedisTie, "renew">, clock: Clock): KeptTie {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  // A process that does not wait for it must not end by an unhandled rejection.
  lost.catch(() => undefined);
  let cancel = (): void => undefined;
  let closed = false;
  let underWay = Promise.resolve();
  const renew = async (): Promise<void> => {
    const reason = await tie.renew().catch(() => undefined);
    if (reason === undefined) renewLater();
    else reject(new Error(reason));
  };
  const renewLater = (): void => {
    if (closed) return;
    cancel = clock.after(RENEW_EVERY_MS, () => {
      underWay = renew();
    });
  };
  renewLater();
  return {
    lost,
    async [Symbol.asyncDispose]() {
      closed = true;
      cancel();
      await underWay;
    },
  };
}

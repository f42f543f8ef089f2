import type { ObjectKey } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, KubeClient } from "../../shared/runtime/ports.ts";
import { createLeaseCandidate } from "../relay/lease.ts";
import { rest } from "../rest.ts";

const RENEW_MS = 3 * SECOND;
/** Shorter than the Lease lasts (15 s): who could not renew for this long writes nothing more. */
const HELD_MS = 10 * SECOND;
const LOOK_MS = SECOND;

/** The right to hand over: one operator at a time. Disposing gives it back. */
export interface Turn extends AsyncDisposable {
  /** Asked before each write. Throws when another operator may have the turn. */
  check(): void;
}

function turnKey(namespace: string): ObjectKey {
  return { namespace, name: "capstan-takeover" };
}

/**
 * Takes the turn. Throws with the holder when another operator is at work; the turn of one that was killed is free after
 * 15 s, for which it waits.
 */
export async function takeTurn(
  client: KubeClient,
  {
    namespace,
    identity,
    clock,
  }: { readonly namespace: string; readonly identity: string; readonly clock: Clock },
): Promise<Turn> {
  const key = turnKey(namespace);
  const candidate = createLeaseCandidate({ client, key, identity });
  let heldFrom = Number.NEGATIVE_INFINITY;
  const hold = async (): Promise<boolean> => {
    const askedAt = clock.now();
    const held = await candidate.tryHold(askedAt);
    if (held) heldFrom = askedAt.getTime();
    return held;
  };
  let first: string | undefined;
  while (!(await hold())) {
    first ??= candidate.renewedAt;
    if (candidate.renewedAt !== first) {
      throw new Error(
        `${candidate.holder ?? "another operator"} is handing over now (Lease ${key.namespace}/${key.name}); ` +
          "wait until it has ended and start again",
      );
    }
    // It may have been killed: its Lease runs out.
    await rest(LOOK_MS, clock);
  }
  const stop = new AbortController();
  const renewing = (async () => {
    while (!stop.signal.aborted) {
      await rest(RENEW_MS, clock, stop.signal);
      if (stop.signal.aborted || (await hold().catch(() => false))) continue;
      // At once: by a clock that was set back it would be held for long.
      if (candidate.holder !== identity) heldFrom = Number.NEGATIVE_INFINITY;
    }
  })();
  return {
    check() {
      if (clock.now().getTime() - heldFrom < HELD_MS) return;
      throw new Error(
        `the Lease ${key.namespace}/${key.name} was lost; start again, and it continues from there`,
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await renewing;
      await candidate.release(clock.now()).catch(() => undefined);
    },
  };
}

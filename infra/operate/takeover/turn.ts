import type { ObjectKey } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, KubeClient } from "../../../shared/runtime/ports.ts";
import { rest } from "../../platform/rest.ts";
import { createLeaseCandidate } from "../../relay/lease-candidate.ts";

const RENEW_MS = 3 * SECOND;
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
  const candidate = createLeaseCandidate({ client, key, identity, clock });
  let first: string | undefined;
  while (!(await candidate.tryHold())) {
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
      if (!stop.signal.aborted) await candidate.tryHold().catch(() => undefined);
    }
  })();
  return {
    check() {
      if (candidate.isHeld) return;
      throw new Error(
        `the Lease ${key.namespace}/${key.name} was lost; start again, and it continues from there`,
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await renewing;
      await candidate.release().catch(() => undefined);
    },
  };
}

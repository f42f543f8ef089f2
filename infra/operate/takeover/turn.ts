import type { ObjectKey } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock, KubeClient } from "../../../shared/runtime/ports.ts";
import { rest } from "../../platform/rest.ts";
import { freeSpec, heldSpec, Lease, writeLease } from "../../relay/lease.ts";
import { createLeaseCandidate } from "../../relay/lease-candidate.ts";
import { PARKED_BY } from "./core.ts";

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

/** Ten years: candidates wait so long for the renewal that never comes. Source: client-go 0.36, tools/leaderelection */
const PARKED_SECONDS = 315_360_000;
/** The leader renews every 2 s, so the version that was read may be old at once. */
const ATTEMPTS = 20;
const AGAIN_MS = 100;

/**
 * Takes the Lease of Cluster API's manager, so that no manager leads: the present one ends within its renew deadline
 * (10 s). Returns how long the old holder may still work, in milliseconds; 0 where the Lease was parked before.
 * Throws when the Lease does not exist.
 */
export async function parkLease(client: KubeClient, key: ObjectKey, clock: Clock): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const lease = await client.get(Lease, key);
    if (lease === undefined) throw new Error(`${nameOf(key)} does not exist; is --leader-elect on?`);
    const { holderIdentity, leaseDurationSeconds = 0 } = lease.spec ?? {};
    if (holderIdentity === PARKED_BY) return 0;
    const parked = { identity: PARKED_BY, seconds: PARKED_SECONDS, now: clock.now() };
    if (await writeLease(client, key, { lease, spec: heldSpec(lease.spec, parked) })) {
      return leaseDurationSeconds * SECOND;
    }
    if (attempt === ATTEMPTS) throw new Error(`${nameOf(key)} changes too often to take it; try again`);
    await rest(AGAIN_MS, clock);
  }
}

/** Frees a parked Lease: a standby of Cluster API's manager leads within 2 s. A Lease of another holder stays. */
export async function releaseLease(client: KubeClient, key: ObjectKey, clock: Clock): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lease = await client.get(Lease, key);
    if (lease?.spec?.holderIdentity !== PARKED_BY) return;
    if (await writeLease(client, key, { lease, spec: freeSpec(lease.spec, clock.now()) })) return;
  }
  throw new Error(`${nameOf(key)} changes too often to free it; try again`);
}

function nameOf({ namespace, name }: ObjectKey): string {
  return `Lease ${namespace}/${name}`;
}

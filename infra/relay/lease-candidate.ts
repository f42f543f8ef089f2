import type { ObjectKey } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, KubeClient } from "../../shared/runtime/ports.ts";
import { freeSpec, heldSpec, Lease, type LeaseSpec, writeLease } from "./lease.ts";
import { createLeaseAges } from "./lease-ages.ts";
import { type LeaseHold, startLeaseHold } from "./lease-hold.ts";

/** How long a lease lasts without renewal. As client-go. */
const LEASE_SECONDS = 15;
/** A holder that could not renew for this long no longer acts, before another can have taken over. As client-go. */
const HOLD_MS = 10 * SECOND;

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly key: ObjectKey;
  /** Name of this process, unique among all candidates of the lease. */
  readonly identity: string;
  readonly clock: Clock;
}

/** One candidate's view of a lease. Every call throws KubeError when the server does not answer. */
export interface LeaseCandidate {
  /** The holder at the last read; undefined before the first read and after a release. */
  readonly holder: string | undefined;
  /** When it had renewed the lease by its own clock, RFC 3339, at the last read. */
  readonly renewedAt: string | undefined;
  /** Whether the lease was ours so lately that no other candidate can hold it. */
  readonly isHeld: boolean;
  /** Takes the lease when it is free or expired, renews it when it is ours. Returns whether it is ours now. */
  tryHold(): Promise<boolean>;
  /** Frees the lease for the next candidate. Does nothing when it is not ours. */
  release(): Promise<void>;
}

/**
 * Creates a candidate. The expiry of a foreign lease is measured by our own clock, from when we saw it renewed: clocks
 * of other machines are not trusted. Differs from client-go: of our own clock, only the time counts in which we looked,
 * so that one that jumps ahead takes no lease whose holder renews it (lease-ages.ts). Source: client-go 0.36,
 * tools/leaderelection/leaderelection.go
 */
export function createLeaseCandidate({ client, key, identity, clock }: LeaseOptions): LeaseCandidate {
  let seen: LeaseSpec | undefined;
  let hold: LeaseHold | undefined;
  const ages = createLeaseAges();
  const look = async (now: Date): Promise<Lease | undefined> => {
    const lease = await client.get(Lease, key);
    ages.seen(lease === undefined ? [] : [lease], now);
    seen = lease?.spec;
    return lease;
  };
  const write = async (lease: Lease | undefined, spec: LeaseSpec): Promise<boolean> => {
    const isWritten = await writeLease(client, key, { lease, spec });
    if (isWritten) seen = spec;
    return isWritten;
  };

  const take = async (now: Date): Promise<boolean> => {
    const lease = await look(now);
    const { holderIdentity, leaseDurationSeconds = LEASE_SECONDS } = lease?.spec ?? {};
    const isForeign = lease !== undefined && holderIdentity !== identity;
    if (isForeign && ages.isLive(lease, leaseDurationSeconds)) return false;
    return write(lease, heldSpec(lease?.spec, { identity, seconds: LEASE_SECONDS, now }));
  };

  return {
    get holder() {
      return seen?.holderIdentity === "" ? undefined : seen?.holderIdentity;
    },
    get renewedAt() {
      return seen?.renewTime;
    },
    get isHeld() {
      return hold?.isOver === false;
    },
    async tryHold() {
      const askedAt = clock.now();
      const isOurs = await take(askedAt);
      if (isOurs || seen?.holderIdentity !== identity) hold?.end();
      if (isOurs) hold = startLeaseHold(clock, askedAt, HOLD_MS);
      return isOurs;
    },
    async release() {
      hold?.end();
      const now = clock.now();
      const lease = await look(now);
      if (lease?.spec?.holderIdentity === identity) await write(lease, freeSpec(lease.spec, now));
    },
  };
}

import { SECOND } from "../../shared/function/backoff.ts";
import type { Lease } from "./lease.ts";

/** How long leases have been seen without a renewal, by our own clock: clocks of other machines are not trusted. */
export interface LeaseAges {
  /** Notes all leases as they are now. */
  seen(leases: readonly Lease[], now: Date): void;
  /** Returns whether a lease is held, and has been seen for less than so many seconds without a renewal. */
  isLive(lease: Lease, seconds: number): boolean;
}

interface Sighting {
  readonly holder: string | undefined;
  readonly renewTime: string | undefined;
  /** How long it was looked at since, without another renewal. */
  readonly unrenewedMs: number;
}

/** More than this between two looks does not count: what happened meanwhile is not known. */
const MAX_GAP_MS = 4 * SECOND;

/**
 * Creates it without any sighting. Only the time counts in which we looked: after an outage of the API server, after
 * this process was stopped, or when our clock jumps ahead, the leases of others have their duration to be renewed.
 */
export function createLeaseAges(): LeaseAges {
  let sightings: ReadonlyMap<string, Sighting> = new Map();
  let lookedAt: number | undefined;
  return {
    seen(leases, now) {
      const gapMs = Math.max(0, Math.min(MAX_GAP_MS, now.getTime() - (lookedAt ?? now.getTime())));
      lookedAt = now.getTime();
      sightings = new Map(
        leases.map(({ metadata: { name }, spec }) => {
          const { holderIdentity: holder, renewTime } = spec ?? {};
          const last = sightings.get(name);
          const isSame = last?.holder === holder && last?.renewTime === renewTime;
          return [name, { holder, renewTime, unrenewedMs: isSame ? (last?.unrenewedMs ?? 0) + gapMs : 0 }];
        }),
      );
    },
    isLive({ metadata: { name }, spec }, seconds) {
      const { holderIdentity = "" } = spec ?? {};
      const unrenewedMs = sightings.get(name)?.unrenewedMs ?? 0;
      return holderIdentity !== "" && unrenewedMs < seconds * SECOND;
    },
  };
}

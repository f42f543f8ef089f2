import { apiVersionOf, type Kind, type KubeObject, type ObjectKey } from "../../shared/api/kinds.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

/** coordination.k8s.io/v1. Times are RFC 3339 with microseconds. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec | undefined;
}
interface LeaseSpec {
  /** Empty: released. */
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  readonly acquireTime?: string | undefined;
  readonly renewTime?: string | undefined;
  /** How often the holder has changed. */
  readonly leaseTransitions?: number | undefined;
}
export const Lease: Kind<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};

/** How long a lease lasts without renewal. As client-go. */
const LEASE_SECONDS = 15;

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly key: ObjectKey;
  /** Name of this process, unique among all candidates of the lease. */
  readonly identity: string;
}

/** One candidate's view of a lease. Every call throws KubeError when the server does not answer. */
export interface LeaseCandidate {
  /** The holder at the last read; undefined before the first read and after a release. */
  readonly holder: string | undefined;
  /** When it had renewed the lease by its own clock, RFC 3339, at the last read. */
  readonly renewedAt: string | undefined;
  /** Takes the lease when it is free or expired, renews it when it is ours. Returns whether it is ours now. */
  tryHold(now: Date): Promise<boolean>;
  /** Frees the lease for the next candidate. Does nothing when it is not ours. */
  release(now: Date): Promise<void>;
}

/**
 * Creates a candidate. The expiry of a foreign lease is measured by our own clock, from when we saw it renewed: clocks
 * of other machines are not trusted. Source: client-go 0.36, tools/leaderelection/leaderelection.go
 */
export function createLeaseCandidate({ client, key, identity }: LeaseOptions): LeaseCandidate {
  let seen: Lease["spec"];
  let seenAt = 0;
  const look = async (now: Date): Promise<Lease | undefined> => {
    const lease = await client.get(Lease, key);
    if (lease?.spec?.renewTime !== seen?.renewTime || lease?.spec?.holderIdentity !== seen?.holderIdentity) {
      seenAt = now.getTime();
    }
    seen = lease?.spec;
    return lease;
  };
  const write = async (lease: Lease | undefined, spec: LeaseSpec): Promise<boolean> => {
    const isWritten = await writeLease(client, key, { lease, spec });
    if (isWritten) seen = spec;
    return isWritten;
  };

  return {
    get holder() {
      return seen?.holderIdentity === "" ? undefined : seen?.holderIdentity;
    },
    get renewedAt() {
      return seen?.renewTime;
    },
    async tryHold(now) {
      const lease = await look(now);
      const { holderIdentity = "", leaseDurationSeconds = LEASE_SECONDS } = lease?.spec ?? {};
      const isOurs = holderIdentity === identity;
      const endsAt = seenAt + leaseDurationSeconds * SECOND;
      if (!isOurs && holderIdentity !== "" && now.getTime() < endsAt) return false;
      return write(lease, heldSpec(lease?.spec, { identity, seconds: LEASE_SECONDS, now }));
    },
    async release(now) {
      const lease = await look(now);
      if (lease?.spec?.holderIdentity === identity) await write(lease, freeSpec(lease.spec, now));
    },
  };
}

/**
 * Creates a lease, or replaces the spec of one as it was read. Returns false when another process was faster. Throws
 * KubeError when the server does not answer or refuses.
 */
export async function writeLease(
  client: KubeClient,
  key: ObjectKey,
  { lease, spec }: { readonly lease: Lease | undefined; readonly spec: LeaseSpec },
): Promise<boolean> {
  const created = { apiVersion: apiVersionOf(Lease as Kind), kind: Lease.kind, metadata: { ...key }, spec };
  try {
    await (lease === undefined
      ? client.create(Lease as Kind, created)
      : client.jsonPatch(Lease as Kind, key, [
          { op: "test", path: "/metadata/resourceVersion", value: lease.metadata.resourceVersion },
          { op: "add", path: "/spec", value: spec },
        ]));
    return true;
  } catch (error) {
    if (error instanceof KubeError && [409, 422].includes(error.status)) return false;
    throw error;
  }
}

/** Returns the spec of a lease that is taken or renewed now. */
export function heldSpec(
  before: Lease["spec"],
  { identity, seconds, now }: { readonly identity: string; readonly seconds: number; readonly now: Date },
): LeaseSpec {
  const { holderIdentity, acquireTime, leaseTransitions = 0 } = before ?? {};
  const isOurs = holderIdentity === identity;
  const time = microTime(now);
  return {
    holderIdentity: identity,
    leaseDurationSeconds: seconds,
    acquireTime: isOurs ? acquireTime : time,
    renewTime: time,
    leaseTransitions: isOurs || before === undefined ? leaseTransitions : leaseTransitions + 1,
  };
}

/** Returns the spec of a lease that its holder gives up now. */
export function freeSpec(before: Lease["spec"], now: Date): LeaseSpec {
  const time = microTime(now);
  return {
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: before?.leaseTransitions,
  };
}

function microTime(at: Date): string {
  return at.toISOString().replace("Z", "000Z");
}

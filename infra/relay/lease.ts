import { apiVersionOf, type Kind, type KubeObject, type ObjectKey } from "../../shared/api/kinds.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

/** coordination.k8s.io/v1. Times are RFC 3339 with microseconds. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec | undefined;
}
export interface LeaseSpec {
  /** The holder; empty: released. */
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

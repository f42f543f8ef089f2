import { describe, expect, it } from "vitest";
import type { Lease } from "../../../infra/relay/lease.ts";
import { createLeaseAges } from "../../../infra/relay/lease-ages.ts";
import { SECOND } from "../../../shared/function/backoff.ts";

const SECONDS = 10;
const START = Date.parse("2026-01-01T00:00:00Z");
function lease(renewTime: string, holderIdentity = "a", leaseDurationSeconds = 10): Lease {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { namespace: "kube-system", name: "shard-0" },
    spec: { holderIdentity, renewTime, leaseDurationSeconds },
  };
}
/** Looks every two seconds and returns the second at which the lease is no longer live. */
function expiryOf(one: Lease, startAt = START): number {
  const ages = createLeaseAges();
  for (let second = 0; second < 60; second += 2) {
    ages.seen([one], new Date(startAt + second * SECOND));
    if (!ages.isLive(one, SECONDS)) return second;
  }
  return Number.POSITIVE_INFINITY;
}

describe("the age of foreign Leases", () => {
  it("is that of our sight: a lease expires ten seconds after its renewal was first seen", () => {
    expect(expiryOf(lease("2026-01-01T00:00:00.000000Z"))).toBe(10);
  });

  it.each([
    ["an hour ahead", "2026-01-01T01:00:00.000000Z"],
    ["an hour behind", "2025-12-31T23:00:00.000000Z"],
    ["not a time", "yesterday"],
  ])("does not depend on the clock of its holder: %s", (_what, renewTime) => {
    expect(expiryOf(lease(renewTime))).toBe(10);
  });

  it("does not depend on the duration that its holder claims", () => {
    expect(expiryOf(lease("x", "a", 1_000_000))).toBe(10);
    expect(expiryOf(lease("x", "a", -1))).toBe(10);
  });

  it("begins again with each renewal and each holder", () => {
    const ages = createLeaseAges();
    const held = [...Array.from({ length: 10 }, (_, look) => lease(String(look))), lease("9", "b")];
    for (const [look, one] of held.entries()) ages.seen([one], new Date(START + 2 * look * SECOND));
    const last = lease("9", "b");
    for (const second of [22, 24, 26, 28]) ages.seen([last], new Date(START + second * SECOND));
    expect(ages.isLive(last, SECONDS)).toBe(true);
    ages.seen([last], new Date(START + 30 * SECOND));
    expect(ages.isLive(last, SECONDS)).toBe(false);
  });

  it("does not grow while we do not look: after an outage each lease has its whole duration again", () => {
    const ages = createLeaseAges();
    const one = lease("1");
    ages.seen([one], new Date(START));
    ages.seen([one], new Date(START + 600 * SECOND));
    expect(ages.isLive(one, SECONDS)).toBe(true);
    for (const second of [602, 604, 606]) ages.seen([one], new Date(START + second * SECOND));
    expect(ages.isLive(one, SECONDS)).toBe(false);
  });

  it("does not shrink when our clock steps back", () => {
    const ages = createLeaseAges();
    const one = lease("1");
    for (const second of [0, 2, 4, -3_600, -3_598, -3_596, -3_594])
      ages.seen([one], new Date(START + second * SECOND));
    expect(ages.isLive(one, SECONDS)).toBe(false);
  });

  it("is nothing to a lease that was freed or never held", () => {
    const ages = createLeaseAges();
    const free = lease("1", "");
    const { spec: _, ...empty } = free;
    ages.seen([free, empty], new Date(START));
    expect([ages.isLive(free, SECONDS), ages.isLive(empty, SECONDS)]).toEqual([false, false]);
  });
});

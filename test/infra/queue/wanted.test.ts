import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Load, wanted } from "../../../infra/queue/wanted.ts";
import type { QueueDepth, TenantDepth } from "../../../shared/runtime/queue/queue-port.ts";

const NONE: TenantDepth = { ready: 0, waiting: 0, running: 0, dead: 0 };

/** A function with ten slots per worker whose last thousand runs took a second each. */
function load(
  tenants: { readonly [tenant: string]: Partial<TenantDepth> },
  more: Partial<QueueDepth & Omit<Load, "depth">> = {},
): Load {
  const { concurrency = 10, maxRunningPerTenant, ...depth } = more;
  const all = Object.entries(tenants).map(([name, depths]) => [name, { ...NONE, ...depths }] as const);
  const total = (of: keyof TenantDepth) => all.reduce((sum, [, each]) => sum + (each[of] ?? 0), 0);
  return {
    concurrency,
    maxRunningPerTenant,
    depth: {
      ...{ ready: total("ready"), waiting: total("waiting"), running: total("running"), dead: 0 },
      tenants: Object.fromEntries(all),
      lastMinute: { runs: 1_000, busyMs: 1_000_000 },
      ...depth,
    },
  };
}

describe("wanted workers", () => {
  it("drains live keys in 5 s and resync keys in 300 s, at 70 % of the slots", () => {
    expect(wanted([load({ a: { ready: 70 } })])).toBeCloseTo(2);
    expect(wanted([load({ a: { ready: 70, running: 7 } })])).toBeCloseTo(3);
    expect(wanted([load({ a: { ready: 2_100, readyResync: 2_100 } })])).toBeCloseTo(1);
    expect(wanted([load({ a: { ready: 2_170, readyResync: 2_100 } })])).toBeCloseTo(3);
    expect(wanted([load({ a: { ready: 70 } }, { concurrency: 20 })])).toBeCloseTo(1);
  });

  it("is above 0 for any key that is ready, however fast its function, so that it can begin with no worker", () => {
    const instant = { lastMinute: { runs: 1_000, busyMs: 0 } };
    expect(wanted([load({ a: { ready: 1 } }, instant)])).toBeGreaterThan(0);
    expect(wanted([load({ a: { ready: 1, readyResync: 1 } }, instant)])).toBeGreaterThan(0);
    expect(wanted([load({ a: { dead: 5, waiting: 5 } }, instant)])).toBe(0);
  });

  it("follows from the time that keys take, not from their number", () => {
    const fast = { lastMinute: { runs: 50_000, busyMs: 50_000 } };
    expect(wanted([load({ a: { ready: 10_000 } }, fast)])).toBeLessThan(1);
  });

  it("assumes runs of 100 ms while none has ended in the last minute", () => {
    expect(wanted([load({ a: { ready: 700 } }, { lastMinute: undefined })])).toBeCloseTo(2);
  });

  it("is the largest of the functions, 0 without one, and counts keys without tenants", () => {
    expect(wanted([load({ a: { ready: 70 } }), load({ a: { ready: 140 } }), load({})])).toBeCloseTo(4);
    expect(wanted([])).toBe(0);
    expect(wanted([load({}, { tenants: undefined, ready: 70 })])).toBeCloseTo(2);
  });

  const count = fc.integer({ min: 0, max: 10_000 });
  const tenant = fc
    .record({ live: count, resync: count, running: fc.integer({ min: 0, max: 50 }) })
    .map(({ live, resync, running }) => ({ ready: live + resync, readyResync: resync, running }));
  const loads = fc
    .record({
      tenants: fc.dictionary(fc.string({ maxLength: 5 }), tenant, { maxKeys: 5 }),
      concurrency: fc.integer({ min: 1, max: 40 }),
      maxRunningPerTenant: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
      lastMinute: fc.option(fc.record({ runs: fc.integer({ min: 1, max: 1_000 }), busyMs: count }), {
        nil: undefined,
      }),
      nextDueMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
      breakerOpen: fc.option(fc.constant(true), { nil: undefined }),
    })
    .map(({ tenants, ...more }) => load(tenants, more));
  const withTenant = ({ depth, ...rest }: Load, name: string, its: TenantDepth): Load => ({
    ...rest,
    depth: { ...depth, tenants: { ...depth.tenants, [name]: its } },
  });

  it("never falls when keys become ready", () => {
    fc.assert(
      fc.property(loads, fc.string({ maxLength: 5 }), count, fc.boolean(), (before, name, more, isLive) => {
        const { [name]: its = NONE } = before.depth.tenants ?? {};
        const resync = (its.readyResync ?? 0) + (isLive ? 0 : more);
        const after = withTenant(before, name, { ...its, ready: its.ready + more, readyResync: resync });
        expect(wanted([after])).toBeGreaterThanOrEqual(wanted([before]));
      }),
    );
  });

  it("is not raised by a tenant that runs as many keys as it may", () => {
    fc.assert(
      fc.property(loads, fc.integer({ min: 1, max: 10 }), count, count, (others, most, live, resync) => {
        const capped = { ...others, maxRunningPerTenant: most };
        const full = { ...NONE, running: most };
        const before = withTenant(capped, "capped", full);
        const backlog = { ...full, ready: live + resync, readyResync: resync };
        expect(wanted([withTenant(capped, "capped", backlog)])).toBe(wanted([before]));
      }),
    );
  });

  it("is 0 while paused, at most 1 with an open breaker, at least 1 with a key due within 10 s", () => {
    fc.assert(
      fc.property(loads, (any) => {
        const { depth } = any;
        expect(wanted([{ ...any, depth: { ...depth, paused: true } }])).toBe(0);
        expect(wanted([{ ...any, depth: { ...depth, pausedInBullmq: true } }])).toBe(0);
        expect(wanted([{ ...any, depth: { ...depth, breakerOpen: true } }])).toBeLessThanOrEqual(1);
        const soon = { ...depth, nextDueMs: 10_000 };
        expect(wanted([{ ...any, depth: soon }])).toBeGreaterThanOrEqual(1);
        const late = { ...depth, nextDueMs: 10_001, tenants: {} };
        expect(wanted([{ ...any, depth: late }])).toBe(0);
      }),
    );
  });

  it("is a finite number of at least 0 for every state of a queue", () => {
    fc.assert(
      fc.property(fc.array(loads, { maxLength: 4 }), (group) => {
        const workers = wanted(group);
        expect(Number.isFinite(workers) && workers >= 0).toBe(true);
      }),
    );
  });
});
